"""Wake-ups: a reader that waits is woken once for what concerns it, and other replicas are notified of it."""

from longtable.log.wakeups import Topic, Wakeups

OURS, OTHERS = ("acme", "sess_one"), ("acme", "sess_two")
TENANT = ("acme", None)


async def is_woken(topic: Topic, *, is_read: bool = False) -> tuple[bool, bool]:
    """Whether a reader of a session is woken, and one that follows the tenant."""
    wakeups = Wakeups()
    with wakeups.for_changes(*OURS) as of_session, wakeups.for_anything("acme") as of_tenant:
        wakeups.committed(() if is_read else {topic}, {topic} if is_read else (), ())
        return await of_session.wait(0.01), await of_tenant.wait(0.01)


async def test_a_reader_is_woken_for_its_own_session_and_for_what_belongs_to_none() -> None:
    assert await is_woken(OURS) == (True, True)
    assert await is_woken(OTHERS) == (False, True)
    assert await is_woken(TENANT) == (True, True)
    assert await is_woken(("rival", "sess_one")) == (False, False)
    assert await is_woken(OURS, is_read=True) == (False, True)


async def test_a_reader_that_was_woken_waits_again_until_there_is_more() -> None:
    wakeups = Wakeups()
    with wakeups.for_changes(*OURS) as wakeup:
        wakeups.changed_elsewhere(OURS)

        woken = [await wakeup.wait(0.01) for _ in range(2)]
        wakeups.wake_all()
        woken.append(await wakeup.wait(0.01))
        wakeups.close()

        assert woken == [True, False, True]
        assert (await wakeup.wait(0.01), wakeups.closed) == (False, True)
    assert not wakeups.anyone_waiting


async def test_other_replicas_are_notified_of_changes_and_of_reads() -> None:
    wakeups, notified = Wakeups(), list[Topic]()
    wakeups.notify_others = notified.append

    wakeups.committed({OURS}, {OTHERS}, ())
    wakeups.announce(TENANT)
    wakeups.changed_elsewhere(OURS)

    assert sorted(notified, key=str) == sorted([OURS, OTHERS, TENANT], key=str)


async def test_an_inbox_may_have_changed_when_another_agent_wrote() -> None:
    wakeups = Wakeups()
    before = [wakeups.inbox_version("acme", agent) for agent in ("ada", "bob")]

    for _ in range(2):
        wakeups.committed({OURS}, (), {("acme", "ada")})
    after = [wakeups.inbox_version("acme", agent) for agent in ("ada", "bob")]
    wakeups.changed_elsewhere(OURS)
    elsewhere = [wakeups.inbox_version("acme", agent) for agent in ("ada", "bob")]

    assert (before, after, elsewhere) == ([0, 0], [0, 2], [1, 3])
    assert wakeups.inbox_version("rival", "bob") == 0
