"""Makes, lists and revokes links that open a session to read, and finds what such a link shows."""

import secrets
from functools import partial

from longtable.draft import store as draft_store
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound
from longtable.kernel.ids import hash_secret, new_secret
from longtable.log.ledger import Ledger, Work
from longtable.log.model import Visibility
from longtable.messages import store as message_store
from longtable.messages.model import Message
from longtable.messages.store import MessageFilter
from longtable.notes import store as note_store
from longtable.notes.store import NoteFilter
from longtable.plan import store as plan_store
from longtable.sessions import store as session_store
from longtable.sharing import store
from longtable.sharing.arguments import CreateShare, ListShares, RevokeShare
from longtable.sharing.model import (
    MAX_ITEMS,
    MAX_LINKS,
    PATH,
    ShareCreated,
    SharedContent,
    SharedLink,
    ShareList,
    ShareRevoked,
)
from longtable.storage.database import SYSTEM, Transaction
from longtable.toolkit.tool import Route, Scope, tool

_PEOPLE = frozenset({Role.HUMAN, Role.OWNER})
_READER = "share"
_share_tool = partial(tool, group="workspace", roles=_PEOPLE, over_mcp=False)


class Sharing:
    """`longest` is how long a link may last."""

    def __init__(self, ledger: Ledger, longest: int) -> None:
        self._ledger = ledger
        self._longest = longest

    @_share_tool(
        "create_share",
        title="Share a link",
        description="Make a link with which anybody reads a session, or one section of its draft, without signing in.",
        audited_as="share_created",
        scope=Scope.OTHER_SESSION,
        writes=True,
        reaches_archive=True,
        routes=(Route("POST", "/shares", 201),),
    )
    async def create(self, call: Call, arguments: CreateShare) -> ShareCreated:
        """The store keeps a hash of the secret in the link, so nobody can be shown it again."""
        lifetime = arguments.expires_in * SECOND
        if lifetime > self._longest:
            raise InvalidArgument.at("expires_in", f"must be at most {self._longest // SECOND} seconds")
        secret = new_secret("sh")
        is_first = False

        async def body(work: Work) -> ShareCreated:
            nonlocal is_first
            link = SharedLink(
                share_id=f"share_{secrets.token_hex(6)}",
                session_id=work.caller.session,
                section_id=arguments.section_id,
                created_by=work.caller.agent,
                created_at=work.now,
                expires_at=work.now + lifetime,
            )
            await _check(work.tx, link, work.now)
            await store.insert(work.tx, link, hash_secret(secret))
            work.touched(f"share:{link.share_id}", section_id=link.section_id)
            is_first = True
            return ShareCreated(share=link.view(work.now), path=None)

        # What is stored for a repeated call must not open anything.
        created = await self._ledger.write(call, ShareCreated, body)
        return created.model_copy(update={"path": f"{PATH}{secret}"}) if is_first else created

    @_share_tool(
        "list_shares",
        title="List shared links",
        description="List the links that were shared, without their secrets.",
        audited_as="shares_listed",
        scope=Scope.TENANT,
        routes=(Route("GET", "/shares"),),
    )
    async def list_all(self, call: Call, arguments: ListShares) -> ShareList:
        now = self._ledger.clock()
        found = await self._ledger.read(call.caller, lambda tx: store.listed(tx, arguments.session_id))
        return ShareList(shares=[link.view(now) for link in found], count=len(found))

    @_share_tool(
        "revoke_share",
        title="Revoke a shared link",
        description="End a shared link: from now on it opens nothing.",
        audited_as="share_revoked",
        scope=Scope.TENANT,
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
        routes=(Route("DELETE", "/shares/{share_id}"),),
    )
    async def revoke(self, call: Call, arguments: RevokeShare) -> ShareRevoked:
        async def body(work: Work) -> ShareRevoked:
            link = await store.revoke(work.tx, arguments.share_id, work.now)
            if link is None:
                raise NotFound("share_id: there is no such link.", hint="GET /shares shows those there are.")
            work.touched(f"share:{link.share_id}")
            return ShareRevoked(share=link.view(work.now))

        return await self._ledger.write(call, ShareRevoked, body)


async def open_link(ledger: Ledger, secret: str) -> tuple[SharedLink, SharedContent] | None:
    """What the link with this secret shows, which goes to the audit log; None where it opens nothing (any more)."""
    found = await ledger.database.read(SYSTEM, lambda tx: store.find_by_secret(tx, hash_secret(secret)))
    if found is None or found[1].status_at(ledger.clock()) != "open":
        return None
    tenant, link = found
    caller = Caller(tenant, Role.READER, link.share_id, _READER, Surface.CONSOLE, link.session_id, bound=True)
    content = await ledger.database.read(tenant, lambda tx: _content(tx, caller, link))
    if content is None:
        return None
    ledger.observe(Call(caller, "open_share", "share_opened"), "SUCCESS", f"share:{link.share_id}")
    return link, content


async def _check(tx: Transaction, link: SharedLink, now: int) -> None:
    if link.section_id is not None and await draft_store.find(tx, link.session_id, link.section_id) is None:
        raise NotFound("section_id: there is no such section in this session.", hint="read_draft shows them.")
    if await store.count_open(tx, link.session_id, now) >= MAX_LINKS:
        raise CapacityLimitReached(
            f"This session has {MAX_LINKS} open links, which is the limit.", hint="Revoke one.", limit=MAX_LINKS
        )


async def _content(tx: Transaction, caller: Caller, link: SharedLink) -> SharedContent | None:
    session = await session_store.find(tx, link.session_id)
    if session is None:
        return None
    sections = await draft_store.manuscript(tx, link.session_id)
    if link.section_id is not None:
        chosen = [section for section in sections if section.section_id == link.section_id]
        return SharedContent(session, chosen, [], {}, [], []) if chosen else None
    tasks = await plan_store.whole(tx, link.session_id)
    notes = await note_store.page(tx, link.session_id, NoteFilter(MAX_ITEMS, before=2**62))
    return SharedContent(
        session,
        sections,
        tasks,
        await plan_store.notes_of(tx, link.session_id, tasks),
        sorted(notes, key=lambda note: note.number),
        await _public_messages(tx, caller),
    )


async def _public_messages(tx: Transaction, caller: Caller) -> list[Message]:
    """Whoever holds the link is nobody in particular: what is for some is not for them."""
    messages = await message_store.page(tx, caller, MessageFilter(MAX_ITEMS, is_newest_first=True))
    public = [each for each in messages if each.visibility is Visibility.PUBLIC and each.addressee is None]
    return sorted(public, key=lambda message: message.number)
