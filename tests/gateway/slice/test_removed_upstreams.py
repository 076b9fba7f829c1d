"""What an upstream that was added at run time leaves behind: its secrets are encrypted, and its files go with it."""

import asyncio
import os
from pathlib import Path

import pytest

from longtable.gateway import upstream_store
from longtable.gateway.token_cipher import KEY_FILE
from longtable.storage.database import Transaction
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.instance_entry import instance_entry, remove_folder
from tests.gateway.hostile.entries import hostile
from tests.gateway.slice.gateway import AUTH_ON, GatewayServer, opened, use
from tests.gateway.slice.test_added_upstreams import CALM, ECHO, SECRET, added, alice, owner_of
from tests.stores import Store

ENTRY = {**CALM, "env": {"API_KEY": SECRET}}


async def stored_entry(gateway: GatewayServer) -> str:
    """As it stands in the store."""
    (row,) = await gateway.table.app.database.read("acme", upstream_store.every)
    return str(dict(row.entry))


async def test_a_typed_secret_is_stored_encrypted_and_read_again(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, options=AUTH_ON) as gateway:
        await added(gateway, entry=ENTRY)
        stored = await stored_entry(gateway)
    async with opened(store, tmp_path, options=AUTH_ON) as again:
        response = await use(alice(again), ECHO, inputs={"text": "hello"})
        (row,) = again.table.app.slices.gateway.added.rows("acme")

    assert SECRET not in stored
    assert "sealed" in stored
    assert response.code == "SUCCESS"
    assert row.entry["env"] == {"API_KEY": SECRET}


async def test_an_entry_without_secrets_and_one_of_before_are_read_as_they_are(
    gateway_with_auth: GatewayServer,
) -> None:
    gateway = gateway_with_auth
    await added(gateway, accept=False)
    without_secrets = await stored_entry(gateway)

    async def put_plain(tx: Transaction) -> None:
        (row,) = await upstream_store.every(tx)
        await upstream_store.put(tx, upstream_store.AddedUpstream(row.name, ENTRY, True, "ada", 1, "ada", 2))

    await gateway.table.app.database.write("acme", put_plain)
    await gateway.table.app.slices.gateway.added.reload("acme")

    (row,) = gateway.table.app.slices.gateway.added.rows("acme")
    assert "sealed" not in without_secrets
    assert row.entry == ENTRY


async def test_an_entry_whose_key_is_gone_says_so_and_can_be_entered_again(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, options=AUTH_ON) as gateway:
        await added(gateway, entry=ENTRY)
        folder = gateway.table.app.settings.data_dir
    (folder / KEY_FILE).unlink()
    async with opened(store, tmp_path, options=AUTH_ON) as again:
        owner = await owner_of(again)
        shown = (await owner.get("/upstreams/calm")).json()["upstream"]
        changed = await owner.patch("/upstreams/calm", json={"entry": ENTRY, "accept": True})
        response = await use(alice(again), ECHO, inputs={"text": "hello"})

    assert "encrypted" in shown["problem"]
    assert changed.status_code == 200
    assert response.code == "SUCCESS"


async def test_the_folder_of_a_removed_upstream_is_deleted_and_that_of_a_disabled_one_is_kept(
    gateway_with_auth: GatewayServer,
) -> None:
    gateway = gateway_with_auth
    await added(gateway)
    await use(alice(gateway), ECHO, inputs={"text": "hello"})
    owner, folder = await owner_of(gateway), folder_of(gateway)
    (folder / "kept.txt").write_text("what the program has written")

    await owner.patch("/upstreams/calm", json={"enabled": False})
    while_disabled = (folder / "kept.txt").exists()
    await owner.delete("/upstreams/calm")

    async with asyncio.timeout(40):
        while folder.exists():  # noqa: ASYNC110 - its program has to end first
            await asyncio.sleep(0.02)
    assert while_disabled


def folder_of(gateway: GatewayServer) -> Path:
    instance = gateway.table.app.slices.gateway.dependencies.upstreams.find("acme", "calm")
    assert instance is not None
    assert isinstance(instance.entry, StdioEntry)
    root = gateway.table.app.settings.data_dir / "upstreams"
    return Path(str(instance_entry(instance.entry, instance.key, root).instance_dir))


@pytest.mark.parametrize("place", ["the folder", "something in it"])
def test_what_a_link_leads_to_is_never_deleted(tmp_path: Path, place: str) -> None:
    root, elsewhere = tmp_path / "upstreams", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious.txt").write_text("not ours")
    key = InstanceKey("calm", "acme", "acme")
    own = Path(str(instance_entry(hostile("calm"), key, root).instance_dir))
    if place == "the folder":
        root.mkdir()
        own.parent.symlink_to(elsewhere)
    else:
        own.mkdir(parents=True)
        (own / "link").symlink_to(elsewhere)

    remove_folder(root, "acme", "calm")

    assert (elsewhere / "precious.txt").exists()
    assert not own.exists()


async def test_a_program_that_is_ending_has_ended_when_the_server_has(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    slow_to_end = (
        f"import os, runpy, time; open({str(file)!r}, 'w').write(str(os.getpid()));"
        "runpy.run_module('tests.gateway.hostile.calm', run_name='__main__'); time.sleep(60)"
    )
    async with opened(store, tmp_path, options=AUTH_ON) as gateway:
        await added(gateway, entry={**CALM, "args": ["-c", slow_to_end]})
        owner = await owner_of(gateway)
        await owner.patch("/upstreams/calm", json={"enabled": False})

    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
