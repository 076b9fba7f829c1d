"""The languages that a cell may be written in, and what kind of text each is."""

from typing import Literal

CellType = Literal["code", "data", "text"]

_CODE = "py js ts tsx jsx rs c h cpp hpp sh css html htm java go rb php cs sql kt swift lua"
_DATA = "json yaml yml toml xml"
_TEXT = "md txt"

TYPES: dict[str, CellType] = {
    **dict.fromkeys(_CODE.split(), "code"),
    **dict.fromkeys(_DATA.split(), "data"),
    **dict.fromkeys(_TEXT.split(), "text"),
}
LANGUAGES = tuple(TYPES)
