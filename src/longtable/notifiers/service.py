"""Adds, lists, tests and removes notifiers, and shows what they have sent."""

from functools import partial

from longtable.kernel.call import Call
from longtable.kernel.caller import Role, Surface
from longtable.kernel.errors import CapacityLimitReached, Conflict, Forbidden, InvalidArgument, NotFound, RateLimited
from longtable.log.ledger import Ledger, Work
from longtable.notifiers import store
from longtable.notifiers.arguments import AddNotifier, ListDeliveries, ListNotifiers, NamedNotifier
from longtable.notifiers.bodies import new_signing_secret
from longtable.notifiers.delivery import new_notice_id, record
from longtable.notifiers.model import (
    MAX_NOTIFIERS,
    MAX_PER_MINUTE,
    DeliveryList,
    Notifier,
    NotifierAdded,
    NotifierList,
    NotifierRemoved,
    NotifierTested,
    NotifierView,
    OutgoingNotice,
)
from longtable.notifiers.sender import NoticeSender, check_target
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool

_owner = partial(tool, group="messages", roles=frozenset({Role.OWNER}), scope=Scope.TENANT, over_mcp=False)


class Notifiers:
    """With `for_operator_only`, owners may not have this server reach private addresses."""

    def __init__(self, ledger: Ledger, sender: NoticeSender, for_operator_only: bool) -> None:
        self._ledger = ledger
        self._sender = sender
        self._for_operator_only = for_operator_only

    @_owner(
        "list_notifiers",
        title="List notifiers",
        description="List where people are called when something waits for them, without secrets.",
        audited_as="notifiers_listed",
        routes=(Route("GET", "/notifiers"),),
    )
    async def list_all(self, call: Call, arguments: ListNotifiers) -> NotifierList:
        views = await self._ledger.read(call.caller, _views)
        return NotifierList(notifiers=views, count=len(views))

    @_owner(
        "add_notifier",
        title="Add a notifier",
        description="Have people called by webhook, ntfy, Slack or e-mail when something waits for them.",
        audited_as="notifier_added",
        writes=True,
        routes=(Route("POST", "/notifiers", 201),),
    )
    async def add(self, call: Call, arguments: AddNotifier) -> NotifierAdded:
        """The secret of a webhook is kept encrypted and shown to nobody again."""
        self._check(call, arguments)
        secret = new_signing_secret() if arguments.kind == "webhook" else None
        is_first = False

        async def body(work: Work) -> NotifierAdded:
            nonlocal is_first
            if len(await store.every(work.tx)) >= MAX_NOTIFIERS:
                raise CapacityLimitReached(f"A tenant has at most {MAX_NOTIFIERS} notifiers.", limit=MAX_NOTIFIERS)
            notifier = await self._sender.new_notifier(work, arguments, secret, "added")
            if not await store.insert(work.tx, notifier):
                raise Conflict(
                    "name: there is a notifier of this name already.", hint="Remove it first, or choose another."
                )
            work.touched(f"notifier:{notifier.name}", kind=notifier.kind, private=notifier.allow_private)
            is_first = True
            return NotifierAdded(notifier=notifier.view(None), secret=None)

        # What is stored for a repeated call must not hold the secret.
        added = await self._ledger.write(call, NotifierAdded, body)
        return added.model_copy(update={"secret": secret}) if is_first else added

    @_owner(
        "remove_notifier",
        title="Remove a notifier",
        description="Remove a notifier, and its log of what was sent.",
        audited_as="notifier_removed",
        writes=True,
        destructive=True,
        frees=True,
        routes=(Route("DELETE", "/notifiers/{name}"),),
    )
    async def remove(self, call: Call, arguments: NamedNotifier) -> NotifierRemoved:
        async def body(work: Work) -> NotifierRemoved:
            notifier = await _found(work.tx, arguments.name)
            if notifier.source == "file" and call.caller.surface is not Surface.CLI:
                raise Conflict("This notifier stands in the notifiers file, and can be removed only there.")
            await store.remove(work.tx, arguments.name)
            work.touched(f"notifier:{arguments.name}")
            return NotifierRemoved(name=arguments.name, removed=True)

        return await self._ledger.write(call, NotifierRemoved, body)

    @_owner(
        "test_notifier",
        title="Test a notifier",
        description="Send a notice of the type test at once, and tell whether it was delivered.",
        audited_as="notifier_tested",
        writes=True,
        routes=(Route("POST", "/notifiers/{name}/test"),),
    )
    async def test(self, call: Call, arguments: NamedNotifier) -> NotifierTested:
        notifier: Notifier | None = None
        notice: OutgoingNotice | None = None

        async def body(work: Work) -> NotifierTested:
            nonlocal notifier, notice
            notifier = await _found(work.tx, arguments.name)
            notice = await _begin_test(work, notifier)
            work.touched(f"notifier:{notifier.name}")
            return NotifierTested(delivered=False, delivery=notice.view())

        tested = await self._ledger.write(call, NotifierTested, body)
        if notifier is None or notice is None:
            return tested
        tenant = call.caller.tenant
        outcome = await self._sender.send(tenant, notifier, notice, None)
        notice = await record(self._ledger, tenant, notice, outcome)
        return NotifierTested(delivered=notice.status == "sent", delivery=notice.view())

    @_owner(
        "list_deliveries",
        title="List deliveries",
        description="List what a notifier has sent, tried to send or left out, the newest first.",
        audited_as="deliveries_listed",
        routes=(Route("GET", "/notifiers/{name}/deliveries"),),
    )
    async def list_deliveries(self, call: Call, arguments: ListDeliveries) -> DeliveryList:
        async def read(tx: Transaction) -> list[OutgoingNotice]:
            await _found(tx, arguments.name)
            return await store.deliveries(tx, arguments.name, arguments.limit)

        found = await self._ledger.read(call.caller, read)
        return DeliveryList(deliveries=[notice.view() for notice in found], count=len(found))

    def _check(self, call: Call, arguments: AddNotifier) -> None:
        check_target(arguments.kind, arguments.to, allow_private=arguments.allow_private)
        is_operator = call.caller.surface is Surface.CLI
        if arguments.allow_private and self._for_operator_only and not is_operator:
            raise Forbidden(
                "Only the operator of this server may allow private addresses.",
                hint="On the server: longtable notifiers add.",
            )
        # The options of a terminal are not those of the server.
        if arguments.kind == "email" and not is_operator and not self._sender.has_mail_server:
            raise InvalidArgument.at("kind", "email needs a mail server: the option smtp_host of this server")


async def _views(tx: Transaction) -> list[NotifierView]:
    return [each.view(await store.last_attempt(tx, each.name)) for each in await store.every(tx)]


async def _found(tx: Transaction, name: str) -> Notifier:
    notifier = await store.find(tx, name)
    if notifier is None:
        raise NotFound("name: there is no such notifier.", hint="List the notifiers to see which there are.")
    return notifier


async def _begin_test(work: Work, notifier: Notifier) -> OutgoingNotice:
    if await store.attempts_in_last_minute(work.tx, notifier.name, work.now) >= MAX_PER_MINUTE:
        raise RateLimited(
            f"A notifier sends at most {MAX_PER_MINUTE} notices in a minute.", hint="Wait for a minute.", retry_after=60
        )
    id = new_notice_id()
    notice = OutgoingNotice(
        notice_id=id,
        notifier=notifier.name,
        type="test",
        about=id,
        session_id=None,
        asker=work.caller.agent,
        waiting_since=work.now,
        created_at=work.now,
        # Not for the periodic job: it is sent by who asked for it.
        status="failed",
        attempts=1,
        attempted_at=work.now,
    )
    await store.add(work.tx, [notice])
    return notice
