"""Every expected failure: one tree, one stable code and one HTTP status each. The edges translate it, once."""

from typing import Any, ClassVar


class LongtableError(Exception):
    """A failure that a smarter caller could have avoided. `details` is JSON and safe to show."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message if hint is None else f"{message} {hint}"
        self.details = details


class InvalidArgument(LongtableError):
    """An argument has the wrong type, is missing, out of range or unknown. The message names it, what is allowed and,
    for a misspelt name or choice, the one that is most alike. Details hold `errors`: path and message of each."""

    code, status = "INVALID_ARGUMENT", 400

    @classmethod
    def at(cls, field: str, problem: str) -> "InvalidArgument":
        return cls(f"{field}: {problem}", errors=[{"path": field, "message": problem}])


class InvalidId(LongtableError):
    """An identifier does not have the form of one."""

    code, status = "INVALID_ID", 400


class InvalidIndex(LongtableError):
    """A position is outside of its list."""

    code, status = "INVALID_INDEX", 400


class MissingSessionId(LongtableError):
    """A session is needed and nothing names one."""

    code, status = "MISSING_SESSION_ID", 400


class InvalidSessionId(LongtableError):
    """A session id does not have the form of one."""

    code, status = "INVALID_SESSION_ID", 400


class Unauthorized(LongtableError):
    """No credential, or one that does not count. The same words for every cause, unless it is our own credential that
    somebody else has refused."""

    code, status = "UNAUTHORIZED", 401

    def __init__(
        self,
        message: str = "A valid credential is required.",
        *,
        hint: str | None = "Send 'Authorization: Bearer <token>'.",
        **details: Any,
    ) -> None:
        super().__init__(message, hint=hint, **details)


class Forbidden(LongtableError):
    """The caller's role may not do this."""

    code, status = "FORBIDDEN", 403


class IdentityMismatch(LongtableError):
    """A header disagrees with what the credential fixes."""

    code, status = "IDENTITY_MISMATCH", 403


class SessionMismatch(LongtableError):
    """The request names another session than the one it is bound to."""

    code, status = "SESSION_MISMATCH", 403


class NotFound(LongtableError):
    """No such thing, or none that this caller may see: one answer for both. The message may suggest one that is much
    alike, of those that the caller may see."""

    code, status = "NOT_FOUND", 404


class SessionNotFound(LongtableError):
    """No such session in this tenant."""

    code, status = "SESSION_NOT_FOUND", 404


class SessionExpired(LongtableError):
    """The session's time is over; its archive is for humans."""

    code, status = "SESSION_EXPIRED", 410


class SessionClosed(LongtableError):
    """A closed session can be read but not changed."""

    code, status = "SESSION_CLOSED", 409


class Conflict(LongtableError):
    """Something of that name or in that state already exists."""

    code, status = "CONFLICT", 409


class VersionConflict(LongtableError):
    """Somebody else changed it first. Details hold the current version and, for text, a diff."""

    code, status = "VERSION_CONFLICT", 409


class IdempotencyMismatch(LongtableError):
    """The idempotency key was used before with other arguments."""

    code, status = "IDEMPOTENCY_MISMATCH", 409


class AlreadyAnswered(LongtableError):
    """A question has its answer."""

    code, status = "ALREADY_ANSWERED", 409


class DependencyCycle(LongtableError):
    """The dependencies would run in a circle."""

    code, status = "DEPENDENCY_CYCLE", 409


class DependencyUnmet(LongtableError):
    """A task waits for another that is not done."""

    code, status = "DEPENDENCY_UNMET", 409


class LeaseLost(LongtableError):
    """The lease ran out and passed to another."""

    code, status = "LEASE_LOST", 409


class Reserved(LongtableError):
    """Another agent has reserved these files. Details name it for each, and until when."""

    code, status = "RESERVED", 409


class CapacityLimitReached(LongtableError):
    """One more would be too many."""

    code, status = "CAPACITY_LIMIT_REACHED", 409


class PayloadTooLarge(LongtableError):
    """A field or a request body is larger than its limit."""

    code, status = "PAYLOAD_TOO_LARGE", 413


class HeadersTooLarge(LongtableError):
    """The head of a request, its address and headers, is larger than its limit."""

    code, status = "HEADERS_TOO_LARGE", 431


class UnsupportedMediaType(LongtableError):
    """A request body comes in a form that is not read here, such as compressed."""

    code, status = "UNSUPPORTED_MEDIA_TYPE", 415


class RequestTimeout(LongtableError):
    """A request did not arrive whole in time. Nothing was changed."""

    code, status = "REQUEST_TIMEOUT", 408


class ValidationFailed(LongtableError):
    """Content does not satisfy the schema it must satisfy."""

    code, status = "VALIDATION_ERROR", 422


class ValidationTimeout(LongtableError):
    """Validation took longer than it may."""

    code, status = "VALIDATION_TIMEOUT", 408


class ConfirmationRequired(LongtableError):
    """A human must approve this call first."""

    code, status = "CONFIRMATION_REQUIRED", 428


class ConfirmationDenied(LongtableError):
    """A human refused this call."""

    code, status = "CONFIRMATION_DENIED", 403


class ConfirmationInvalid(LongtableError):
    """The approval does not belong to this exact call."""

    code, status = "CONFIRMATION_INVALID", 403


class ToolQuarantined(LongtableError):
    """An upstream tool changed its definition and waits for a human."""

    code, status = "TOOL_QUARANTINED", 403


class RateLimited(LongtableError):
    """Too many calls. Details hold `retry_after` in seconds."""

    code, status = "RATE_LIMITED", 429


class UpstreamError(LongtableError):
    """Another server failed."""

    code, status = "UPSTREAM_ERROR", 502


class UpstreamTimeout(LongtableError):
    """Another server did not answer in time."""

    code, status = "UPSTREAM_TIMEOUT", 504


class SearchUnavailable(LongtableError):
    """This kind of search is switched off or has no model."""

    code, status = "SEARCH_UNAVAILABLE", 503


class Overloaded(LongtableError):
    """The server holds as many connections or request bodies as it may. Details hold `retry_after` in seconds."""

    code, status = "OVERLOADED", 503


class ShuttingDown(LongtableError):
    """The server is stopping; another try will find the next one."""

    code, status = "SHUTTING_DOWN", 503


class StoreUnavailable(LongtableError):
    """The store cannot be reached, or refused to commit. Nothing was changed."""

    code, status = "STORE_UNAVAILABLE", 503


class OutcomeUnknown(LongtableError):
    """The store was lost between a commit and its reply, and could not be asked afterwards: the change may be stored or
    not. Repeated with the same `idempotency_key` it is done once. Of a call to an upstream: the process that made it
    ended before the outcome was known; it may have been done, and is never done again under the same key."""

    code, status = "OUTCOME_UNKNOWN", 503


class ConfigError(LongtableError):
    """An option, file or environment variable is wrong. Names it, its value and what is allowed."""

    code, status = "CONFIG_ERROR", 500


class InternalError(LongtableError):
    """A bug of ours. The caller gets an id to find in the log, and nothing else."""

    code, status = "INTERNAL_ERROR", 500
