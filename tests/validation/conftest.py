"""Validation with real workers, for each test that asks for it."""

from collections.abc import AsyncIterator

import pytest

from longtable.validation.service import Bounds, Validation


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def validation() -> AsyncIterator[Validation]:
    validation = Validation(Bounds())
    yield validation
    await validation.close()


@pytest.fixture
async def hasty() -> AsyncIterator[Validation]:
    """A request has one second."""
    validation = Validation(Bounds(seconds=1.0))
    yield validation
    await validation.close()
