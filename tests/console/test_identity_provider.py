"""A person signs in at the company's identity provider, in a real browser."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.chromium import window
from tests.console.console_server import need_built_page
from tests.e2e.servers import Processes, Server
from tests.sign_in.conftest import served
from tests.sign_in.provider import AS_IT_BEGINS, started_provider

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with started_provider() as address:
        yield address


@pytest.fixture(scope="module")
def company(processes: Processes, issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """By another name than the provider, so that the one is another site to the other."""
    need_built_page()
    return served(processes, issuer, tmp_path_factory.mktemp("data"), "localhost")


def comes(issuer: str, **changed: Any) -> None:
    """Who is signed in at the provider."""
    httpx2.post(f"{issuer}/control", content=json.dumps({**AS_IT_BEGINS, **changed}), trust_env=False)


def leaves(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign in with").click()


def test_a_person_signs_in_at_the_provider_and_out_again(browser: Browser, company: Server, issuer: str) -> None:
    comes(issuer)

    with window(browser, company.address) as seen:
        leaves(seen.page)
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        expect(seen.page.get_by_text("ada").first).to_be_visible()
        assert "code=" not in seen.page.url
        # A reload needs nothing of the provider.
        seen.page.reload()
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()
        seen.forgive("401")
        assert seen.problems == []

        seen.page.get_by_role("button", name="Sign out").click()

        expect(seen.page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def test_who_may_not_come_in_is_told_so(browser: Browser, company: Server, issuer: str) -> None:
    comes(issuer, claims={"preferred_username": "eve", "groups": ["others"]})

    with window(browser, company.address) as seen:
        leaves(seen.page)

        expect(seen.page.get_by_role("alert")).to_contain_text("Your account may not use this server")
        expect(seen.page.get_by_label("Token of the role human or owner")).to_be_visible()
