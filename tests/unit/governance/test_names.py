"""Names of other people's tools: safe for every client, never shared by two tools, the same wherever they are made."""

import random
import re

import pytest

from longtable.governance.model import Layer, ToolIdentity
from longtable.governance.names import ToolNames

NAMES = ToolNames()
SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def identity(canonical: str) -> ToolIdentity:
    pack, _, action = canonical.partition(".")
    return ToolIdentity(pack, action)


@pytest.mark.parametrize(
    ("layer", "canonical", "name"),
    [
        (Layer.PRIMITIVE, "wordpress.get_posts", "mindscape_tool_wordpress_get_posts"),
        (Layer.GOVERNED, "wordpress.delete_post", "mindscape_run_wordpress_delete_post"),
        (Layer.PRIMITIVE, "default.workspace_query_database", "mindscape_tool_default_workspace_query_database"),
        (Layer.MACRO, "creative.blog_post", "mindscape_playbook_creative_blog_post"),
        (Layer.MACRO, "default.daily_planning", "mindscape_playbook_default_daily_planning"),
    ],
)
def test_easy_cases_are_spelled_as_they_always_were(layer: Layer, canonical: str, name: str) -> None:
    assert NAMES.name(layer, identity(canonical)) == name


def test_tools_that_would_share_a_name_get_names_of_their_own() -> None:
    several = [
        *("web_generation.publish_site", "web.generation_publish_site", "a_b.c", "a.b_c", "a.b.c"),
        *("core.workspace_package_report", "core.core.workspace_package_report", "mcp.github.search_issues"),
        *("mcp.github_search_issues", "wp.my-site.post.create_draft", "wp.my-site_post_create_draft"),
        *("ig_harvest.ig_batch", "ig.harvest_ig_batch", "A.b_c", "a.B_c"),
    ]

    names = {NAMES.name(Layer.GOVERNED, identity(canonical)) for canonical in several}

    assert len(names) == len(several)


def test_a_name_does_not_depend_on_what_else_there_is() -> None:
    first, second = ToolNames(), ToolNames()
    first.name(Layer.PRIMITIVE, identity("a.b_c"))

    assert first.name(Layer.PRIMITIVE, identity("a_b.c")) == second.name(Layer.PRIMITIVE, identity("a_b.c"))


def test_another_prefix_and_a_shorter_limit_are_kept_to() -> None:
    names = ToolNames("acme", 48)

    assert names.name(Layer.PRIMITIVE, identity("shop.list_orders")) == "acme_tool_shop_list_orders"
    assert len(names.name(Layer.PRIMITIVE, identity("shop." + "x" * 200))) <= 48


def test_a_tool_cannot_be_named_like_the_marked_name_of_another() -> None:
    marked = NAMES.name(Layer.PRIMITIVE, identity("a_b.c"))
    forged = ToolIdentity("a", marked.removeprefix("mindscape_tool_a_"))

    assert NAMES.name(Layer.PRIMITIVE, forged) != marked


@pytest.mark.slow
def test_a_hundred_thousand_pairs_have_a_hundred_thousand_names() -> None:
    pairs = set(generated(100_000))
    names = {NAMES.name(Layer.GOVERNED, ToolIdentity(*pair)): pair for pair in pairs}

    assert len(names) == len(pairs) == 100_000
    assert [name for name in names if SAFE.fullmatch(name) is None] == []
    assert all(NAMES.name(Layer.GOVERNED, ToolIdentity(*pair)) == name for name, pair in names.items())


def generated(count: int) -> list[tuple[str, str]]:
    chance = random.Random(20_261_115)
    parts = [
        "get",
        "list",
        "a",
        "b",
        "_",
        "-",
        ".",
        "post",
        "Post",
        "é",
        "日本",
        "ß",
        " ",
        "/",
        "😀",
        "x" * 30,
        "0",
        "__",
    ]
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < count:
        pack = "".join(chance.choices(parts, k=chance.randint(1, 4)))
        action = "".join(chance.choices(parts, k=chance.randint(1, 8)))
        pairs[pack, action] = None
    return list(pairs)
