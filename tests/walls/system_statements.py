"""The statements that reach across tenants, by the function that runs them, and why each may. All of them run in the
scope SYSTEM: in a tenant's scope nothing is exempt."""

_AGED = "periodic job: what is too old goes, whoever's it is"
_WHO = "periodic job: learns whose turn it is; the work itself is done in the scope of that tenant"
_COUNT = "a sum over all tenants for the metrics; no content"
_LOGIN = "finds out who the caller is: the tenant is the answer, not the question"
_WORDS = "the queue of texts to embed is one for all tenants; each is read and written by its own"

SYSTEM_STATEMENTS: dict[str, str] = {
    "connections.store.count": _COUNT,
    "connections.store.forget_unused": _AGED,
    "draft.store.any_read_before": _AGED,
    "draft.store.forget_reads": _AGED,
    "fulltext.index.refill": "every tenant's words are to be filled in again",
    "fulltext.index.remove_all": "an operator has the whole index made anew",
    "fulltext.segments._newest_if_many": _COUNT,
    "gateway.authorization_store.flow_by_link": _LOGIN,
    "gateway.authorization_store.flow_by_state": _LOGIN,
    "gateway.authorization_store.forget_flows": _AGED,
    "gateway.claim_store.forget": _AGED,
    "gateway.claim_store.renew": "a process renews all claims that it holds, whoever made the calls",
    "gateway.decision_store.forget": _AGED,
    "gateway.intent_store.forget": _AGED,
    "gateway.limits.forget_full": _AGED,
    "gateway.run_store.forget": _AGED,
    "gateway.run_store.settle_lost": "what ran in a process that is gone has failed, whoever began it",
    "gateway.upstream_store.has_any_tenant": "a process asks whether anybody has added an upstream, not who or which",
    "gateway.workspace_store.forget": "a workspace that the backend does not know any more is forgotten by all",
    "gateway.workspace_store.holders": "asks whether anybody has this workspace, to refuse it to all others",
    "identity.adoption._rename": "gives what was made without auth to the first tenant, once for a store",
    "identity.agent_names.import_earlier_spellings.transaction": "fills the table of names once, for every tenant",
    "identity.store.add_login": _AGED,
    "identity.store.end_all_logins": "no login outlives a change of the mode of auth",
    "identity.store.end_login": _LOGIN,
    "identity.store.find_login": _LOGIN,
    "identity.store.find_token": _LOGIN,
    "identity.store.find_token_by_id": "an operator names a token by its id; for others the tenant is compared after",
    "identity.store.list_tokens": "an operator lists those of all tenants; for others the tenant is bound",
    "log.anchors._heads": "the file beside the store has the newest record of every tenant",
    "log.ledger.forget_old_events.transaction": _AGED,
    "log.ledger.forget_old_keys.transaction": _AGED,
    "log.verify.audited_tenants.tenants": "an operator checks the audit log of every tenant",
    "memory.store.tenants_with_expired": _WHO,
    "notebooks.store.tenants_with_scratchpads": _WHO,
    "notebooks.store.totals": _COUNT,
    "notebooks.trash_store.tenants_with_trash": _WHO,
    "questions.store.overdue": _WHO,
    "server.metrics.Metrics._count": _COUNT,
    "sessions.store.overdue": _WHO,
    "sessions.store.purgeable": _WHO,
    "vectors.queue._next_tenant": _WORDS,
    "vectors.queue.count": _WORDS,
    "vectors.queue.outdated": _WORDS,
    "vectors.reindex.tenants.body": _WHO,
}
