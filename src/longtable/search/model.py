"""What a search finds."""

from typing import Literal

from longtable.fulltext.notices import SearchNotices
from longtable.kernel.result import LimitedResult, Value, omitted_if_none

Kind = Literal["message", "note", "section", "cell", "scratchpad"]
WorkKind = Literal["task", "question"]
AnyKind = Literal[Kind, WorkKind]
Mode = Literal["keyword", "semantic", "hybrid"]
KINDS: dict[str, tuple[Kind, ...]] = {
    "messages": ("message",),
    "notes": ("note",),
    "draft": ("section",),
    "all": ("message", "note", "section"),
}
NOTEBOOK_KINDS: tuple[Kind, ...] = ("cell", "scratchpad")
ALL_KINDS: tuple[Kind, ...] = (*KINDS["all"], *NOTEBOOK_KINDS)
WORK_KINDS: tuple[WorkKind, ...] = ("task", "question")
"""Found where they are asked for."""


class Hit(Value):
    """`score` lies between 0 and 1."""

    kind: Kind
    id: str | int
    snippet: str
    score: float
    author: str
    timestamp: str
    tags: list[str] | None = omitted_if_none()
    title: str | None = omitted_if_none()
    visibility: str | None = omitted_if_none()


class Found(SearchNotices, LimitedResult):
    """`mode` is how the search was done in the end."""

    results: list[Hit]
    count: int
    mode: Mode


class ScratchHit(Value):
    """`cell_id` is null where the scratchpad itself was found, by its title, description or summary. `score` lies
    between 0 and 1. `embedding_version` is null while the text has no vector."""

    scratch_id: str
    cell_id: str | None
    namespace: str | None
    tags: list[str]
    score: float
    snippet: str
    embedding_version: str | None


class ScratchFound(SearchNotices, LimitedResult):
    """`embedder` names the model of the search by meaning, `mode` how the search was done in the end."""

    hits: list[ScratchHit]
    embedder: str | None
    mode: Mode


class AnyHit(Value):
    """Something of a session has `session_id`, something of a notebook `scratch_id`, a task or question `status`.
    `score` lies between 0 and 1."""

    kind: AnyKind
    id: str | int
    session_id: str | None = omitted_if_none()
    scratch_id: str | None = omitted_if_none()
    cell_id: str | None = omitted_if_none()
    namespace: str | None = omitted_if_none()
    title: str | None = omitted_if_none()
    language: str | None = omitted_if_none()
    tags: list[str] | None = omitted_if_none()
    author: str | None = omitted_if_none()
    status: str | None = omitted_if_none()
    visibility: str | None = omitted_if_none()
    timestamp: str
    score: float
    snippet: str
    embedding_version: str | None


class AnyFound(SearchNotices):
    """`sessions` says how many sessions were looked through."""

    hits: list[AnyHit]
    count: int
    sessions: int
    embedder: str | None
    mode: Mode
