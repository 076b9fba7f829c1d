/** The table from TypeScript: typed calls inside one session, the server's errors as exceptions, events as they come. */

export type { Caller, Inbox, Link } from "./connection.js";
export * from "./generated/errors.js";
export type * from "./generated/types.js";
export { VERSION } from "./generated/version.js";
export type { ListenOptions, TableEvent } from "./listening.js";
export { ConnectionLost, type Details, LongtableError } from "./longtableError.js";
export { Orchestrator, type OrchestratorOptions } from "./orchestrator.js";
export type { CallOptions, WriteOptions } from "./toolCalls.js";
export { Workspace, type WorkspaceOptions } from "./workspace.js";
