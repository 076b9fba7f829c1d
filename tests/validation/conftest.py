"""Validation with real workers, for each test that asks for it."""

from collections.abc import AsyncIterator

import pytest

from longtable.validation.service import Validation, ValidationLimits


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def validation() -> AsyncIterator[Validation]:
    validation = Validation(ValidationLimits())
    yield validation
    await validation.close()


@pytest.fixture
async def hasty() -> AsyncIterator[Validation]:
    """A request has one second."""
    validation = Validation(ValidationLimits(seconds=1.0))
    yield validation
    await validation.close()
