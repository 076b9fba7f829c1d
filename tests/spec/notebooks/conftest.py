"""An agent with scratchpads."""

import pytest

from tests.table import Agent, Table


@pytest.fixture
def ann(table: Table) -> Agent:
    return table.agent("ann")
