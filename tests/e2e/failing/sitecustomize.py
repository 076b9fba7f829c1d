"""Python loads this first in a process that has its folder on the path: every background task there fails at first."""

import os

import pytest

from tests.faults import Faults

if os.environ.get("FAILING_TASKS"):
    Faults({}).install(pytest.MonkeyPatch())
