"""The recording of the README can be made anew, and is what its programs have shown."""

import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.recording.__main__ import PICTURE, record

TEXT = "{http://www.w3.org/2000/svg}text"


def shown_in(picture: Path) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.parse(picture).iter(TEXT)]


def without_times(lines: list[str]) -> list[str]:
    return [line[line.index(" ") :] if line[:2].isdigit() else line for line in lines]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="terminals are opened as POSIX does")
@pytest.mark.skipif(shutil.which("curl") is None, reason="the person answers with curl")
def test_it_is_what_the_programs_show_today(tmp_path: Path) -> None:
    record(tmp_path / "again.svg", pace=0.05)

    again = shown_in(tmp_path / "again.svg")
    assert without_times(again) == without_times(shown_in(PICTURE))
    assert "  Friday (human:you, a person)" in again
