"""Namespaces: named groups of scratchpads. And the tags that are in use on each."""

from pathlib import Path
from typing import Any

import pytest

from tests.spec.notebooks.pads import appends, cell, contents, creates, listed, reads, restores
from tests.stores import Store
from tests.table import Agent, Refused, open_table

pytestmark = pytest.mark.slow


async def namespaces(ann: Agent) -> dict[str, int]:
    """How many scratchpads are in each, in the order of the answer."""
    answer = await ann.calls("scratch_namespace_list")
    assert set(answer) == {"ok", "namespaces"}
    assert all(set(one) == {"namespace", "scratchpad_count"} for one in answer["namespaces"])
    return {one["namespace"]: one["scratchpad_count"] for one in answer["namespaces"]}


async def test_a_namespace_is_created_once_and_its_case_counts(ann: Agent) -> None:
    answers = [
        await ann.calls("scratch_namespace_create", namespace=name)
        for name in ("b", "a", "B", "a", "it's; --", "n" * 128)
    ]

    assert answers[0] == {"ok": True, "namespace": "b", "created": True}
    assert [answer["created"] for answer in answers] == [True, True, True, False, True, True]
    assert list(await namespaces(ann)) == sorted(["a", "b", "B", "it's; --", "n" * 128])


async def test_over_rest_a_namespace_is_reached_by_any_name_and_created_only_once(ann: Agent) -> None:
    created = [await ann.client.post("/namespaces", json={"namespace": "a/b ?"}) for _ in range(2)]
    renamed = await ann.client.post("/namespaces/a%2Fb%20%3F/rename", json={"new_namespace": "c/rename"})
    deleted = await ann.client.delete("/namespaces/c%2Frename")

    assert [answer.status_code for answer in created] == [201, 200]
    assert (renamed.status_code, deleted.status_code) == (200, 200)
    assert await namespaces(ann) == {}


@pytest.mark.parametrize("blank", ["", "  "])
async def test_a_blank_namespace_is_refused_in_plain_words(ann: Agent, blank: str) -> None:
    refused = (await ann.client.post("/namespaces", json={"namespace": blank})).json()

    assert refused["error"]["error"] == "namespace: must not be empty: a text of 1 to 128 characters."


async def test_what_cannot_be_a_namespace_is_refused(ann: Agent) -> None:
    for namespace in ("", " ", "n" * 129, "a\0b", "\ud800", 5, None):
        for tool, arguments in (
            ("scratch_namespace_create", {"namespace": namespace}),
            ("scratch_namespace_delete", {"namespace": namespace}),
            ("scratch_namespace_rename", {"old_namespace": "a", "new_namespace": namespace}),
        ):
            with pytest.raises(Refused, match="INVALID_ARGUMENT"):
                await ann.calls(tool, **arguments)

    assert await namespaces(ann) == {}


async def test_a_namespace_comes_with_its_first_scratchpad_and_counts_them(ann: Agent) -> None:
    for scratch_id, namespace in (("a", "n"), ("b", "n"), ("c", "m"), ("d", None)):
        await creates(ann, scratch_id, namespace=namespace)
    assert await namespaces(ann) == {"m": 1, "n": 2}

    await ann.calls("scratch_update", scratch_id="a", metadata={"namespace": "o"})
    await ann.calls("scratch_update", scratch_id="d", metadata={"namespace": "m"})
    await ann.calls("scratch_delete", scratch_id="b")
    await creates(ann, "c")

    assert await namespaces(ann) == {"m": 1, "n": 0, "o": 1}
    await restores(ann, "b")
    await restores(ann, "c")
    assert await namespaces(ann) == {"m": 2, "n": 1, "o": 1}


async def test_renaming_takes_the_scratchpads_along(ann: Agent) -> None:
    await creates(ann, "a", "text", namespace="old", title="A")
    await creates(ann, "b", namespace="old")
    await creates(ann, "c", namespace="other")

    answer = await ann.calls("scratch_namespace_rename", old_namespace="old", new_namespace="new")

    assert answer == {"ok": True, "namespace": "new", "migrated_count": 2}
    assert await namespaces(ann) == {"new": 2, "other": 1}
    pad = await reads(ann, "a", namespaces=["new"])
    assert (pad["namespace"], pad["metadata"]["namespace"], pad["title"], pad["version"]) == ("new", "new", "A", 2)
    assert await listed(ann, namespaces=["new"]) == ["a", "b"]
    assert await listed(ann, namespaces=["old"]) == []


async def test_renaming_is_refused_when_the_new_name_is_taken_or_scratchpads_must_stay(ann: Agent) -> None:
    await creates(ann, "a", namespace="full")
    for name in ("empty", "taken"):
        await ann.calls("scratch_namespace_create", namespace=name)

    for code, old, new, more in (
        ("CONFLICT", "full", "taken", {}),
        ("CONFLICT", "full", "new", {"migrate_scratchpads": False}),
        ("NOT_FOUND", "nowhere", "new", {}),
        ("NOT_FOUND", "nowhere", "nowhere", {}),
    ):
        with pytest.raises(Refused, match=code):
            await ann.calls("scratch_namespace_rename", old_namespace=old, new_namespace=new, **more)

    assert await namespaces(ann) == {"empty": 0, "full": 1, "taken": 0}
    renamed = await ann.calls(
        "scratch_namespace_rename", old_namespace="empty", new_namespace="new", migrate_scratchpads=False
    )
    assert renamed["migrated_count"] == 0
    same = await ann.calls("scratch_namespace_rename", old_namespace="full", new_namespace="full")
    assert (same["migrated_count"], await namespaces(ann)) == (0, {"full": 1, "new": 0, "taken": 0})


async def test_deleting_a_namespace_with_scratchpads_needs_to_be_said(ann: Agent) -> None:
    await creates(ann, "a", "text", namespace="n")
    await creates(ann, "b", namespace="n")
    await creates(ann, "c", namespace="m")
    with pytest.raises(Refused, match="CONFLICT"):
        await ann.calls("scratch_namespace_delete", namespace="n")
    assert await namespaces(ann) == {"m": 1, "n": 2}

    first = await ann.calls("scratch_namespace_delete", namespace="n", delete_scratchpads=True)
    second = await ann.calls("scratch_namespace_delete", namespace="n", delete_scratchpads=True)

    assert first == {"ok": True, "deleted": True, "removed_scratchpads": 2}
    assert second == {"ok": True, "deleted": False, "removed_scratchpads": 0}
    assert (await namespaces(ann), await listed(ann)) == ({"m": 1}, ["c"])
    await restores(ann, "a")
    assert (await namespaces(ann), await contents(ann, "a")) == ({"m": 1, "n": 1}, ["text"])


async def test_default_namespaces_are_there_from_the_start_until_they_are_deleted(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, default_namespaces="inbox,work") as table:
        ann = table.agent("ann")
        assert await namespaces(ann) == {"inbox": 0, "work": 0}
        assert (await ann.calls("scratch_namespace_create", namespace="inbox"))["created"] is False
        await creates(ann, "a", namespace="work")

        await ann.calls("scratch_namespace_delete", namespace="inbox")

        assert await namespaces(ann) == {"work": 1}


async def test_tags_in_use_are_listed_once_each_apart_for_scratchpads_and_cells(ann: Agent) -> None:
    for scratch_id, namespace, own, cell_tags in (
        ("a", "n", ["z", "shared"], ["x", "y"]),
        ("b", "m", ["shared"], ["x"]),
        ("c", None, ["loose"], ["w", "shared"]),
    ):
        await ann.calls(
            "scratch_create",
            scratch_id=scratch_id,
            metadata={"namespace": namespace, "tags": own},
            cells=[cell(tags=cell_tags), cell(tags=cell_tags[:1])],
        )

    async def tags(**arguments: Any) -> tuple[list[str], list[str]]:
        answer = await ann.calls("scratch_list_tags", **arguments)
        assert set(answer) == {"ok", "scratchpad_tags", "cell_tags"}
        return answer["scratchpad_tags"], answer["cell_tags"]

    assert await tags() == (["loose", "shared", "z"], ["shared", "w", "x", "y"])
    assert await tags(namespaces=["n", "m"]) == (["shared", "z"], ["x", "y"])
    assert await tags(namespaces=["none"]) == ([], [])
    await ann.calls("scratch_update", scratch_id="a", metadata={"tags": []})
    await ann.calls("scratch_delete", scratch_id="c")
    await appends(ann, "b", tags=["new"])
    assert await tags() == (["shared"], ["new", "x", "y"])
    with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
        await tags(namespaces=[str(number) for number in range(1001)])
