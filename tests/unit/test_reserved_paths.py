"""Patterns of files: what each means, and that no two are said to be apart which can mean the same file."""

import random

import pytest

from longtable.reservations.paths import means, normalised, overlap, pattern


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("src/app.py", "src/app.py"),
        ("./src//app.py", "src/app.py"),
        ("src/", "src"),
        ("src/./**/**", "src/**"),
        (".", "**"),
        ("./", "**"),
        ("next.js/", "next.js/**"),
        ("Cafe\u0301.md", "Caf\u00e9.md"),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("{{ name }}/a b.py", "{{ name }}/a b.py"),
    ],
)
def test_a_path_is_kept_in_one_form(given: str, kept: str) -> None:
    assert normalised(given) == kept
    assert normalised(kept) == kept


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/etc/passwd", "root of the repository"),
        ("C:/work", "root of the repository"),
        ("~/x", "root of the repository"),
        ("../other", r"\.\."),
        ("src/../../x", r"\.\."),
        ("src\\app.py", "between folders"),
        (":!docs", "exclusions"),
        (":(glob)src", "exclusions"),
        ("!docs", "exclusions"),
        ("src/*.{ts,tsx}", "path of its own"),
        ("src/**.py", "alone between slashes"),
        ("a\nb", "control"),
        ("a/" * 31, "30 folders"),
    ],
)
def test_what_is_no_pattern_of_files_is_refused_with_a_reason(path: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        normalised(path)


@pytest.mark.parametrize(
    ("path", "file", "is_meant"),
    [
        ("src", "src/deep/app.py", True),
        ("src", "src2/app.py", False),
        ("src/**", "src/app.py", True),
        ("src/*", "src/deep/app.py", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/deep/a.md", False),
        ("docs/*.md", "docs/a.md.bak", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("**/*.md", "x/y/a.py", False),
        ("**", ".github/x", True),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("src/**/test_*.py", "src/a/b/test_a.py", True),
        ("src/**/test_*.py", "src/a/b/a.py", False),
        ("README.md", "readme.MD", True),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx", True),
        ("app/[ab].py", "app/b.py", True),
        ("app/[^ab].py", "app/b.py", False),
        ("a?c", "abc/x", True),
        ("conf.d", "conf.d/site", True),
        ("Größe.md", "Gro\u0308\u00dfe.md", True),
    ],
)
def test_a_pattern_means_these_files(path: str, file: str, is_meant: bool) -> None:
    assert means(pattern(normalised(path)), file) is is_meant


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/app.py", "src/b.py"),
        ("src/**", "docs"),
        ("docs/*.md", "docs/*.txt"),
        ("docs/*.md", "docs/deep/a.md"),
        ("src/**/*.ts", "src/**/*.css"),
        ("**/*.test.ts", "src/app.ts"),
        ("**/*.md", "src/app.py"),
        ("app/[slug]/**", "app/about/**"),
        ("src/a*", "src/b*"),
        ("src/a/**", "src/b/**"),
    ],
)
def test_work_on_other_files_is_not_in_the_way(one: str, other: str) -> None:
    assert not overlap(pattern(one), pattern(other))
    assert not overlap(pattern(other), pattern(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src", "src/app.py"),
        ("src/**", "src"),
        ("**", "a/b/c.py"),
        ("**/*.md", "docs"),
        ("src/*", "src/deep/app.py"),
        ("src/**/x", "src/a/**"),
        ("SRC/app.py", "src/App.py"),
        ("a*/b", "*c/b"),
        ("app/[slug]/x.py", "app/s/x.py"),
    ],
)
def test_what_can_be_the_same_file_overlaps(one: str, other: str) -> None:
    assert overlap(pattern(one), pattern(other))
    assert overlap(pattern(other), pattern(one))


def test_no_two_patterns_of_one_file_are_ever_said_to_be_apart() -> None:
    dice = random.Random(17)
    words = ("a", "b", "ab", "a.py", "b.md", "*", "a*", "*b", "?", "[ab]", "*.py", "a*b", "**")
    names = ("a", "b", "ab", "aab", "a.py", "b.md", "b.py", "[ab]", "ba")
    both = 0
    for _ in range(20_000):
        one, other = ("/".join(dice.choices(words, k=dice.randint(1, 3))) for _ in range(2))
        file = "/".join(dice.choices(names, k=dice.randint(1, 3)))
        first, second = pattern(normalised(one)), pattern(normalised(other))
        if means(first, file) and means(second, file):
            both += 1
            assert overlap(first, second), (one, other, file)
            assert overlap(second, first), (one, other, file)
    assert both > 300
