"""Conditions on the tenant that may go unseen, one at a time, and why; and functions that the probes do not reach."""

_IN_TERMS = "every term of the index names its tenant: it finds and removes nothing of another's"
_FOUND_BEFORE = "the documents were found for the tenant before"
_OTHER_WORDS = "made of the same words as a statement beside it, in which the condition is missed"
_STEPS = "steps from name to name; each name is then looked up for the tenant"
_NOT_IMPORTED = "nothing is imported in the scene; `tests/spec/transfer` has two tenants with the same ids"
_WAITING = "nothing waits to be indexed in the scene; `tests/spec/search/test_waiting_texts.py` has two tenants"
_UNIQUE = "the number or id is unique in the whole store, and was found for the tenant before"
_NOBODY_CONNECTED = "nobody is connected in the scene; `tests/gateway/oauth` has two tenants"

SAME_EITHER_WAY: dict[tuple[str, str], str] = {
    ("connections.store.open_subscriptions", "[tenant = :tenant]"): "the key of a credential begins with its tenant",
    ("connections.store.unused_longest", "[tenant = :tenant]"): "the key of a credential begins with its tenant",
    ("fulltext.index.remove", "FROM documents WHERE [tenant = :tenant]"): _IN_TERMS,
    ("fulltext.index.add_waiting", "waiting_texts WHERE [tenant = :tenant]"): _WAITING,
    ("fulltext.index.forget", "vectors WHERE [tenant = :tenant]"): _UNIQUE,
    ("fulltext.index.forget", "waiting_texts WHERE [tenant = :tenant]"): _WAITING,
    ("fulltext.waiting.", "waiting_texts WHERE [tenant = :tenant]"): _WAITING,
    (
        "gateway.call_detail_store.definition",
        "[tenant = :tenant]",
    ): "a digest stands for one definition, whoever saw it",
    ("gateway.decision_store.newest_for_call", "[tenant = :tenant]"): "the digest of a call covers its tenant",
    ("gateway.pin_store.", "FROM tool_pins WHERE [tenant = :tenant]"): (
        "both tenants have the same pins here; `tests/gateway/slice` has a server whose tools change"
    ),
    ("gateway.policies._newest_version", "[tenant = :tenant]"): "only says whether the rules must be read anew",
    ("identity.store.revoke_token", "[tenant = :tenant] AND token_id"): _UNIQUE,
    ("gateway.authorization_store.of_tenant", "[tenant = :tenant]"): _NOBODY_CONNECTED,
    ("gateway.authorization_store.find", "[tenant = :tenant]"): _NOBODY_CONNECTED,
    ("gateway.authorization_store.delete", "[tenant = :tenant]"): _NOBODY_CONNECTED,
    ("log.export._newest", ".tenant = :tenant]"): "only says where to stop; the records themselves are bound",
    ("log.page_cache.newest_event", "[tenant = :tenant]"): "only says whether a page must be read anew",
    ("log.reader.tail", "[messages.tenant = :tenant]"): _OTHER_WORDS,
    ("records.service.Records.read.body", "= :session_id AND [audit.tenant = :tenant]"): _OTHER_WORDS,
    (
        "records.service.Records.read.body",
        "WHERE [audit_blocks.tenant = :tenant] AND audit_blocks.name = 'session_id'",
    ): _OTHER_WORDS,
    ("log.usage.", "["): "a size that is a little different in each run, and compared with a limit",
    ("notebooks.cell_store.delete_all", "(SELECT cell_id FROM cells WHERE [tenant = :tenant]"): (
        "what is deleted is bound; an id that both tenants have belongs to the same scratchpad"
    ),
    ("notebooks.store._few_tagged", "[tenant = :tenant]"): "only chooses between two queries with the same answer",
    ("notebooks.store.all_tags", "(SELECT tag FROM scratchpad_tags WHERE [tenant"): _STEPS,
    (
        "notebooks.store.change_cell_tags",
        "DELETE FROM scratchpad_tags WHERE [tenant",
    ): "no tenant ever keeps such a row",
    ("notifiers.store.save", "[tenant = :tenant] AND notice_id"): _UNIQUE,
    ("notifiers.store.set_status", "[tenant = :tenant] AND notice_id"): _UNIQUE,
    ("notifiers.store.purpose_of", "[tenant = :tenant]"): "stands in what is sent, and nobody is there to receive it",
    ("notifiers.store.silent_agents", "FROM decisions WHERE [decisions.tenant"): (
        "no call waits in this scene; the condition on questions beside it is missed"
    ),
    ("now.store.busiest", "FROM events WHERE [events.tenant"): "only says in which order the sessions come",
    ("now.store.last_events", "(SELECT MIN(actor) FROM events WHERE [events.tenant"): _STEPS,
    ("now.store.last_events", "AS actor FROM sessions WHERE [tenant"): "the sessions were found for the tenant before",
    ("now.store.last_events", "FROM notes WHERE [notes.tenant"): _OTHER_WORDS,
    ("plan.store._count_open_dependencies", "NOT IN ('completed', 'cancelled')) WHERE [tenant"): (
        "counts anew what was counted rightly before"
    ),
    ("questions.store.settled", "[tenant = :tenant]"): "only wakes who waits; what they are told is read anew",
    ("questions.store.select", "[tenant = :tenant] AND session_id = :session_id AND asked_by"): (
        "only says which answers count as shown from now on; what is told is read by its number"
    ),
    ("redaction.logged_events.scrub_replaced", "[tenant = :tenant] AND session_id"): "what is changed is bound itself",
    ("search.store._matching", "AND [tenant = :tenant] AND kind"): _IN_TERMS,
    ("search.store._matching", "FROM note_tags WHERE [note_tags.tenant"): _IN_TERMS,
    ("search.store.matching_each", "AND [tenant = :tenant] AND kind"): _IN_TERMS,
    ("search.store.read", "FROM documents NOT INDEXED WHERE [tenant = :tenant]"): _FOUND_BEFORE,
    ("search.store.read", "FROM note_tags WHERE [note_tags.tenant"): _FOUND_BEFORE,
    ("search.store.notebooks_scope", "[tenant = :tenant]"): (
        "both tenants have the same scope in the scene; the documents in it are bound to the tenant"
    ),
    ("storage.counters.current", "[tenant = :tenant]"): "only says whether a page in memory must be read anew",
    ("notebooks.trash_store.purge", "imported_records WHERE [tenant = :tenant]"): _NOT_IMPORTED,
    ("messages.store.count_anew", "[tenant = :tenant]"): "the session was made in the same write, by an id that is new",
    ("transfer.row_store._page", "[tenant = :tenant] AND session_id = :session_id AND ("): _OTHER_WORDS,
    ("transfer.row_store._page", "[tenant = :tenant] AND session_id = :session_id AND number >"): _OTHER_WORDS,
    ("transfer.session_store.forget_history", "[tenant = :tenant]"): _NOT_IMPORTED,
    ("workspace.store.agents", "(SELECT MIN(actor) FROM events WHERE [events.tenant"): _STEPS,
}
"""By the beginning of the function's name and a part of the words around the condition."""

_BACKEND = "needs a Mindscape backend or playbooks; `tests/gateway` has them"
_PINS = "needs a server whose tools change; `tests/gateway/slice` has one"
_MODEL = "search by meaning needs its model; `tests/vectors` has several tenants"
_SHARED = "asked only with auth off, where there is one tenant"
_NO_TENANT = "its tables have no tenant"
_REFILLED = "runs while the words of an older store are indexed; `tests/spec/search` has several tenants"

NOT_REACHED: dict[str, str] = {
    "fulltext.index._remove_words": _REFILLED,
    "fulltext.index.add": "runs when an operator has the index made anew; `tests/vectors` has several tenants",
    "fulltext.index.fill": _REFILLED,
    "fulltext.waiting.count": "asked only where the store cannot be written",
    "fulltext.waiting.remove": "runs in the background, after texts were written or before somebody searches",
    "fulltext.waiting.forget": "a text that was deleted while it waited has left the list already",
    "fulltext.segments.": "a periodic job of the program itself, for the index of all tenants",
    "gateway.authorization_store.": "needs an authorization server; `tests/gateway/oauth` has two tenants",
    "gateway.claim_store.": "needs calls at the same time; `tests/gateway/slice/test_claims.py` has two tenants",
    "gateway.intent_store.set_remote": _BACKEND,
    "gateway.pin_store.": _PINS,
    "gateway.run_store.": _BACKEND,
    "gateway.upstream_store.has_any": (
        "needs a server without a gateway file; `tests/gateway/slice/test_added_upstreams.py` has two tenants there"
    ),
    "gateway.workspace_store.": _BACKEND,
    "identity.adoption.": "runs once, when auth is switched on; `tests/spec/test_adoption.py` has it",
    "identity.store.": _NO_TENANT,
    "log.verify._has_events": "asked only where a whole audit log was removed",
    "search.store._count": _REFILLED,
    "search.store.unembedded": _MODEL,
    "search.texts.": _MODEL,
    "sessions.store.find_provisioned": _SHARED,
    "sessions.store.give_up_key": _SHARED,
    "storage.": _NO_TENANT,
    "vectors.": _MODEL,
    "connections.store.over": "asked by a stream that lasts",
    "messages.store.count_anew": _NOT_IMPORTED,
    "plan.store.count_anew": _NOT_IMPORTED,
    "questions.store.replaced_answers": (
        "asked only where a person replaces an answer; it reads questions that were found for the tenant before"
    ),
    "transfer.": _NOT_IMPORTED,
    "notebooks.store.unused_since": "asked only by another policy of eviction",
}
"""By the beginning of their names."""


def explanation(function: str, around: str) -> str | None:
    for (name, words), reason in SAME_EITHER_WAY.items():
        if function.startswith(name) and words in around:
            return reason
    return None


def unreached(functions: set[str]) -> set[str]:
    return {name for name in functions if not name.startswith(tuple(NOT_REACHED))}
