"""Search by words in scripts without blanks: a word is found wherever it stands in a run of letters."""

import asyncio

import pytest

from tests.spec.search.reading import ids
from tests.table import Agent

pytestmark = pytest.mark.slow

NOTES = (
    "日本語の全文検索エンジンを東京都で動かす。",
    "サーバーの設定は京都で変更しました",
    "如何配置搜索引擎的索引",
    "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "かぎをなくした",
    "かきを食べた",
    "次のdeployは金曜日、担当は𠮷野さん",
)


@pytest.fixture
async def notes(alice: Agent) -> Agent:
    for text in NOTES:
        await alice.adds_note(text)
    return alice


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("検索", ["n1"]),
        ("エンジン", ["n1"]),
        ("京都", ["n1", "n2"]),
        ("設定", ["n2"]),
        ("ｻｰﾊﾞｰ", ["n2"]),
        ("索引", ["n3"]),
        ("引", ["n3"]),
        ("ไทย", ["n4"]),
        ("ระหว่าง", ["n4"]),
        ("かぎ", ["n5"]),
        ("かき", ["n6"]),
        ("deploy", ["n7"]),
        ("次のdep", ["n7"]),
        ("金曜日 deploy", ["n7"]),
        ("𠮷野", ["n7"]),
        ('"全文検索"', ["n1"]),
        ('"検索 全文"', []),
        ("都京", []),
    ],
)
async def test_a_word_is_found_inside_a_run_of_letters(notes: Agent, query: str, found: list[str]) -> None:
    assert sorted(await ids(notes, query)) == found


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (("กินหมี่ผัด", "รถไฟสายใหม่"), "หมี่"),
        (("เขามีบ้าน", "แม่มาแล้ว"), "มี"),
        (("หมูสับ", "หมอฟัน"), "หมู"),
        (("ຂໍ້ມູນໃໝ່", "ຂອງມັນ"), "ມູນ"),
        (("ភាសាខ្មែរ", "ភូមិខ្ញុំ"), "ភា"),
        (("မြန်မာစာ", "မန္တလေး"), "မြ"),
    ],
)
async def test_a_vowel_above_or_below_a_letter_makes_another_word(
    alice: Agent, texts: tuple[str, str], query: str
) -> None:
    for text in texts:
        await alice.adds_note(text)

    assert await ids(alice, query) == ["n1"]


async def test_the_marks_of_tones_may_be_left_out_or_typed_in_another_order(alice: Agent) -> None:
    await alice.adds_note("ราคาน้ำมันวันนี้")

    assert [await ids(alice, query) for query in ("น้ำมัน", "นํ้ามัน", "นำมัน")] == [["n1"]] * 3


async def test_a_whole_sentence_finds_the_text_that_shares_most_of_its_words(notes: Agent) -> None:
    assert (await ids(notes, "请问怎么配置搜索引擎"))[0] == "n3"
    assert (await ids(notes, "検索エンジンの動かし方"))[0] == "n1"
    assert (await ids(notes, "2026年に検索エンジンは"))[0] == "n1"


async def test_the_snippet_shows_where_the_word_stands(alice: Agent) -> None:
    await alice.adds_note("あ" * 500 + "全文検索" + "い" * 500)

    found = await alice.calls("search_context", query="文検", mode="keyword")

    assert "全文検索" in found["results"][0]["snippet"]


async def test_a_word_far_down_in_a_long_text_is_found(alice: Agent) -> None:
    await alice.adds_note("猫の犬の" * 5_000 + "全文の検索")

    assert [await ids(alice, query) for query in ("全文の検索", "の検", "の鳥")] == [["n1"], ["n1"], []]


async def test_what_was_changed_is_found_by_its_new_words_alone(notes: Agent) -> None:
    await notes.calls("write_draft_section", section_id="s", content="旧約の文書")
    await notes.calls("write_draft_section", section_id="s", content="新約の文書")

    assert (await ids(notes, "旧約"), await ids(notes, "新約")) == ([], ["s"])


@pytest.mark.parametrize("query", ["あ" * 2000, "あ" * 1999 + "い", "い " + "あ" * 1990, '"' + "あい" * 900 + '"'])
async def test_a_long_query_in_a_long_text_takes_no_longer_than_others(alice: Agent, query: str) -> None:
    await alice.adds_note("い" + "あ" * 21_000)

    async with asyncio.timeout(40):
        await ids(alice, query)
