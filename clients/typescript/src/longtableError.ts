/** A refusal of the server, as an exception. Each code of the reference has a class of its own, a child of
 * `LongtableError`. */

export type Details = Record<string, unknown>;

/** The server said no. `message` says what to do next. */
export class LongtableError extends Error {
  static readonly code: string = "INTERNAL_ERROR";
  static readonly status: number = 500;
  /** Never changes, as in the reference of errors. */
  readonly code: string;
  /** Of HTTP. */
  readonly status: number;

  constructor(
    message: string,
    /** What a program needs to go on. */
    readonly details: Details = {},
  ) {
    super(message);
    this.name = new.target.name;
    this.code = new.target.code;
    this.status = new.target.status;
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
