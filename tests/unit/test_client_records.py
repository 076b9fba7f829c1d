"""Results of the Python client: what is made of the JSON that a server sends."""

import copy
import pickle

import pytest

from longtable_client.records import Record
from longtable_client.results import CellOutline, NotePage, NoteView


class LeafRecord(Record):
    name: str


class Tree(Record):
    wire_names = {"class_": "class"}  # noqa: RUF012

    class_: str
    root: LeafRecord
    leaves: list[LeafRecord]
    by_name: dict[str, LeafRecord]
    top: LeafRecord | None = None
    tags: list[str] | None = None
    left: list[LeafRecord]


WIRE = {"class": "oak", "root": {"name": "r"}, "leaves": [{"name": "a"}], "by_name": {"b": {"name": "b"}}, "top": None}


def test_parts_are_objects_too_wherever_they_are() -> None:
    tree = Tree.of({**WIRE, "top": {"name": "t"}})

    assert (tree.class_, tree.root.name, tree.leaves[0].name, tree.by_name["b"].name) == ("oak", "r", "a", "b")
    assert tree.top == LeafRecord(name="t")


def test_what_is_left_out_has_its_default_and_what_nobody_knows_is_not_there() -> None:
    tree = Tree.of({**WIRE, "of_a_newer_server": 1})

    assert (tree.top, tree.tags, tree.left) == (None, None, [])
    assert not hasattr(tree, "of_a_newer_server")


def test_a_result_goes_back_to_the_json_that_it_was_made_of() -> None:
    assert Tree.of(WIRE).as_dict() == {**WIRE, "left": []}


def test_results_are_values_that_do_not_change() -> None:
    leaf = LeafRecord.of({"name": "a"})

    with pytest.raises(AttributeError):
        leaf.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del leaf.name
    assert leaf == LeafRecord(name="a") != LeafRecord(name="b")
    assert {leaf} == {LeafRecord(name="a")}
    assert repr(leaf) == "LeafRecord(name='a')"
    assert pickle.loads(pickle.dumps(leaf)) == copy.copy(leaf) == leaf


def test_a_field_that_there_is_not_is_named() -> None:
    with pytest.raises(TypeError, match="'colour'"):
        LeafRecord(name="a", colour="green")  # type: ignore[call-arg]


def test_generated_results_say_which_fields_have_another_name_on_the_wire() -> None:
    page = NotePage.of({"notes": [{"id": "n1", "content": "x"}], "count": 1, "total": 1, "next_cursor": None})

    assert isinstance(page.notes[0], NoteView)
    assert CellOutline.of({"validate": True}).validate_ is True
