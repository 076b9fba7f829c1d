"""Plays one scene on LangGraph's own store in memory and on the store of the recipe, and prints what each showed.
Runs in the environment of LangGraph, beside a copy of the recipe."""

import asyncio
import json
import sys
import time
from typing import Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from langgraph_store import LongtableStore

from longtable_client.sync import Workspace

PEOPLE, PLACES = ("users", "ada", "people"), ("users", "ada", "places")


def shown(items: list[Any]) -> list[Any]:
    """Stores order what they find in ways of their own."""
    return sorted([list(item.namespace), item.key, item.value] for item in items)


def scene(store: BaseStore) -> dict[str, Any]:
    store.put(PEOPLE, "bob", {"age": 41, "home": {"town": "Bern", "floor": 2}})
    store.put(PEOPLE, "eve o'neil / ü", {"age": 29, "home": {"town": "Rome", "floor": 2}})
    store.put(PLACES, "Bern", {"age": 800})
    store.put(("users", "bob"), "Bern", {"age": None})
    store.put(PEOPLE, "gone", {"age": 1})
    store.delete(PEOPLE, "gone")
    store.delete(PEOPLE, "never there")
    results = {
        "get": store.get(PEOPLE, "eve o'neil / ü").value,
        "gone": store.get(PEOPLE, "gone"),
        "all": shown(store.search(())),
        "prefix": shown(store.search(("users", "ada"))),
        "no half names": shown(store.search(("users", "ad"))),
        "equal": shown(store.search(PEOPLE, filter={"age": 41})),
        "greater": shown(store.search(PEOPLE, filter={"age": {"$gte": 29, "$lt": 41}})),
        "differs": shown(store.search(PEOPLE, filter={"age": {"$ne": 41}})),
        "nested": shown(store.search(PEOPLE, filter={"home": {"floor": 2}})),
        "pages": [len(store.search(("users",), limit=3, offset=at)) for at in (0, 3, 6)],
        "namespaces": store.list_namespaces(),
        "under": store.list_namespaces(prefix=("users", "*"), max_depth=2),
        "ending": store.list_namespaces(suffix=("people",)),
        "second": store.list_namespaces(limit=1, offset=1),
    }
    store.put(PEOPLE, "bob", {"age": 42})
    before, found, *_ = store.batch(
        [GetOp(PEOPLE, "bob"), SearchOp(PEOPLE), PutOp(PEOPLE, "bob", {"age": 1}), PutOp(PEOPLE, "bob", {"age": 43})]
    )
    results["batch"] = [before.value, len(found), store.get(PEOPLE, "bob").value]
    results["refused"] = refused(store)
    results["async"] = asyncio.run(without_blocking(store))
    results["graph"] = in_a_graph(store)
    return results


def refused(store: BaseStore) -> list[str]:
    names: list[str] = []
    for namespace in ((), ("a.b",), ("langgraph",)):
        try:
            store.put(namespace, "key", {})
        except InvalidNamespaceError as error:
            names.append(type(error).__name__)
    return names


async def without_blocking(store: BaseStore) -> list[Any]:
    await asyncio.gather(*(store.aput(("many",), f"key {number}", {"number": number}) for number in range(20)))
    await store.adelete(("many",), "key 3")
    found = await store.asearch(("many",), limit=50, filter={"number": {"$lt": 5}})
    return [shown(found), await store.aget(("many",), "key 3"), await store.alist_namespaces(prefix=("many",))]


def in_a_graph(store: BaseStore) -> list[str]:
    """What one thread has put, another finds."""

    class State(TypedDict):
        said: str

    def remember(state: State, runtime: Runtime) -> State:
        known = runtime.store.get(("talk",), "last")
        runtime.store.put(("talk",), "last", {"said": state["said"]})
        return {"said": known.value["said"] if known else "nothing"}

    graph = StateGraph(State).add_node("remember", remember).add_edge(START, "remember").compile(store=store)
    return [graph.invoke({"said": word})["said"] for word in ("one", "two")]


def lifetimes(table: Workspace) -> dict[str, Any]:
    store = LongtableStore(table, ttl={"default_ttl": 10, "refresh_on_read": True})
    store.put(("brief",), "short", {"is": "gone soon"}, ttl=1 / 60)
    store.put(("brief",), "usual", {"is": "here"})
    store.put(("brief",), "always", {"is": "kept"}, ttl=None)
    for read in (False, True):
        store.get(("brief",), "usual", refresh_ttl=read)
    deadline = time.monotonic() + 60
    while store.get(("brief",), "short", refresh_ttl=False) and time.monotonic() < deadline:
        time.sleep(0.1)
    usual, always = (table.get_memory(f"store/brief/{key}") for key in ("usual", "always"))
    left = [item.key for item in store.search(("brief",), refresh_ttl=False)]
    return {"left": sorted(left), "writes": usual.version, "expires": [bool(usual.expires_at), bool(always.expires_at)]}


with Workspace.open(sys.argv[1], agent="graph") as table, Workspace.open(sys.argv[1], agent="other") as other:
    results = {"langgraph": scene(InMemoryStore()), "longtable": scene(LongtableStore(table))}
    print(json.dumps({**results, "lifetimes": lifetimes(table), "other": shown(LongtableStore(other).search(()))}))
