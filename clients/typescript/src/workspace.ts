import { type Caller, ClientConnection, type Link, randomHex } from "./connection.js";
import { SessionMethods } from "./generated/methods.js";
import type { MessagePage, MessageView, NoteView, ReadNotesOptions } from "./generated/types.js";
import { Listener, type ListenOptions, type TableEvent } from "./listening.js";
import type { CallOptions } from "./toolCalls.js";

const PAGE = 500;

/** Without a session it is the token's or, with auth off, the shared one of the project. */
export interface WorkspaceOptions extends Caller {
  link?: Link | undefined;
}

/** One session at a server, as one agent, and the scratchpads of its tenant. No method takes a session, so that no
 * other can be reached. Its methods are the tools, by their names; each throws the error whose code the server gives,
 * and ConnectionLost when the server cannot be reached. */
export class Workspace extends SessionMethods {
  /** Who gives neither a token nor a name gets one, so that two of them are told apart. */
  static open(url: string, options: WorkspaceOptions = {}): Workspace {
    const agent = options.agent ?? (options.token === undefined ? `longtable-client-${randomHex(2)}` : undefined);
    return new Workspace(new ClientConnection(url, { ...options, agent }, options.link), options.session);
  }

  /** Every note, from the first to the newest, read page by page. */
  async *allNotes(options: Pick<ReadNotesOptions, "tags" | "author" | "signal"> = {}): AsyncGenerator<NoteView, void> {
    let cursor: string | undefined;
    do {
      const page = await this.readNotes({ ...options, order: "oldest", limit: PAGE, cursor });
      yield* page.notes;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Every message that this agent may see after the one of this number, from the first to the newest, read page by
   * page. */
  async *allMessages(afterId = 0, options: CallOptions = {}): AsyncGenerator<MessageView, void> {
    for (let after_id: number | undefined = afterId; after_id !== undefined; ) {
      const page: MessagePage = await this.getMessages({ ...options, limit: PAGE, after_id });
      yield* page.messages;
      after_id = page.has_more ? (page.next_after_id ?? undefined) : undefined;
    }
  }

  /** Events after `after`, or from now on, each once and in order, until the session ends. It connects again when a
   * connection is lost, after a call of `onLost`. */
  async *events(options: ListenOptions = {}): AsyncGenerator<TableEvent, void> {
    const path = `/sessions/${encodeURIComponent(await this.sessionId())}/events`;
    yield* new Listener(this.connection, path, options).events();
  }
}
