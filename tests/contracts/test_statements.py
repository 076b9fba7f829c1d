"""How a statement's named parameters are found and numbered."""

import pytest

from longtable.storage.statements import parse


@pytest.mark.parametrize(
    ("sql", "numbered"),
    [
        ("SELECT :a, :b, :a", "SELECT $1, $2, $1"),
        ("SELECT :a::bigint, 'x'::text", "SELECT $1::bigint, 'x'::text"),
        ("SELECT ':a', 'it''s :a', :b", "SELECT ':a', 'it''s :a', $1"),
        ('SELECT ":a" -- :b\n, :c', 'SELECT ":a" -- :b\n, $1'),
        ("SELECT /* :a ' */ :b", "SELECT /* :a ' */ $1"),
        ("DO $$ SELECT :a $$", "DO $$ SELECT :a $$"),
        ("SELECT $tag$ :a $tag$, :b", "SELECT $tag$ :a $tag$, $1"),
        ("SELECT '12:30', :a", "SELECT '12:30', $1"),
    ],
)
def test_only_parameters_are_numbered(sql: str, numbered: str) -> None:
    assert parse(sql).numbered == numbered
