import { type Caller, ClientConnection, type Link } from "./connection.js";
import { SessionMethods } from "./generated/methods.js";
import { Listener, type ListenOptions, type TableEvent } from "./listening.js";

/** Without a session it is the token's or, with auth off, the shared one of the project. */
export interface WorkspaceOptions extends Caller {
  link?: Link | undefined;
}

/** One session at a server, as one agent, and the scratchpads of its tenant. No method takes a session, so that no
 * other can be reached. Its methods are the tools, by their names; each throws the error whose code the server gives,
 * and ConnectionLost when the server cannot be reached. */
export class Workspace extends SessionMethods {
  static open(url: string, options: WorkspaceOptions = {}): Workspace {
    return new Workspace(new ClientConnection(url, options, options.link), options.session);
  }

  /** Events after `after`, or from now on, each once and in order, until the session ends. It connects again when a
   * connection is lost, after a call of `onLost`. */
  async *events(options: ListenOptions = {}): AsyncGenerator<TableEvent, void> {
    const path = `/sessions/${encodeURIComponent(await this.sessionId())}/events`;
    yield* new Listener(this.connection, path, options).events();
  }
}
