import { ClientConnection, type Link } from "./connection.js";
import { TenantMethods } from "./generated/methods.js";
import { Listener, type ListenOptions, type TableEvent, TENANT_EVENTS } from "./listening.js";
import { Workspace } from "./workspace.js";

export interface OrchestratorOptions {
  token?: string | undefined;
  agent?: string | undefined;
  link?: Link | undefined;
}

/** The sessions of a tenant: created, listed, closed, and opened for agents. */
export class Orchestrator extends TenantMethods {
  readonly #url: string;
  readonly #options: OrchestratorOptions;

  private constructor(url: string, options: OrchestratorOptions) {
    const { token, agent, link } = options;
    super(new ClientConnection(url, { token, agent }, link));
    this.#url = url;
    this.#options = options;
  }

  static open(url: string, options: OrchestratorOptions = {}): Orchestrator {
    return new Orchestrator(url, options);
  }

  /** For an agent, which cannot reach another session through it. */
  workspace(session: string, options: { agent?: string; agentType?: string } = {}): Workspace {
    const { token, link } = this.#options;
    return Workspace.open(this.#url, { token, link, session, ...options });
  }

  /** Short for `closeSession`. */
  close: TenantMethods["closeSession"] = (...given) => this.closeSession(...given);

  /** Short for `extendSession`. */
  extend: TenantMethods["extendSession"] = (...given) => this.extendSession(...given);

  /** Like the events of a workspace, but of all sessions of the tenant and without an end. */
  events(options: ListenOptions = {}): AsyncGenerator<TableEvent, void> {
    return new Listener(this.connection, TENANT_EVENTS, options).events();
  }
}
