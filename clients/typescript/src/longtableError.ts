/** A refusal of the server, as an exception. Each code of the reference has a class of its own, a child of
 * `LongtableError`. */

export type Details = Record<string, unknown>;

export class LongtableError extends Error {
  static readonly code: string = "INTERNAL_ERROR";
  /** Stable, as in the reference of errors. */
  readonly code: string;

  constructor(
    message: string,
    /** What a program needs to go on. */
    readonly details: Details = {},
    /** What to do next, where the server says so apart from the message. */
    readonly hint?: string,
  ) {
    super(message);
    this.name = new.target.name;
    this.code = new.target.code;
  }
}

/** The server could not be reached, however often it was tried. A write may or may not have taken effect; repeating it
 * with `idempotencyKey` finds out and does it at most once. */
export class ConnectionLost extends Error {
  constructor(
    problem: Error,
    readonly idempotencyKey?: string,
  ) {
    super(`The table cannot be reached (${problem.message}).`, { cause: problem });
    this.name = "ConnectionLost";
  }
}
