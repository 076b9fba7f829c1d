/** Answers of the server: the body of a success, or the exception of a failure's code. */

import { ERRORS, InternalError } from "./generated/errors.js";
import type { Details, LongtableError } from "./longtableError.js";

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body of a success. Throws the failure in either of the two envelopes. */
export function checkEnvelope(body: Json): Json {
  if (body.ok ?? body.success) {
    return body;
  }
  const problem = isObject(body.error) ? body.error : body;
  throw failure(problem.code, problem.error, problem.details);
}

/** The body of a tool's result in a JSON-RPC response. Throws its failure. */
export function checkMessage(message: Json): Json {
  const problem = message.error;
  if (isObject(problem)) {
    const data = isObject(problem.data) ? problem.data : {};
    throw failure(data.code ?? problem.code, problem.message, data.details);
  }
  const result = isObject(message.result) ? message.result : {};
  return checkEnvelope(isObject(result.structuredContent) ? result.structuredContent : {});
}

/** A code that only a newer server knows becomes INTERNAL_ERROR, and is kept in the details. */
function failure(code: unknown, message: unknown, details: unknown): LongtableError {
  const kind = ERRORS.get(String(code));
  const known: Details = isObject(details) ? details : {};
  return kind ? new kind(String(message), known) : new InternalError(String(message), { ...known, code });
}
