"""A table with something of everything."""

import pytest

from tests.browser import signed_in
from tests.table import Table


@pytest.fixture
async def filled(table: Table) -> Table:
    """A session with something of everything, and a scratchpad."""
    await table.session("sess_one", purpose="Write\n# the post")
    ada, bob = table.agent("ada", "sess_one"), table.agent("bob", "sess_one")
    await ada.adds_note("the shop\n## is closed", tags=["price"])
    await bob.adds_note("it is open", supersedes="n1")
    for content in ("first", "second"):
        await ada.calls("write_draft_section", section_id="intro", content=content, title="Introduction")
    await ada.calls("add_tasks", tasks=[{"description": "ask"}])
    await ada.calls("add_tasks", tasks=[{"description": "write", "depends_on": ["t1"]}])
    await bob.calls("claim_task", task_id="t1")
    await ada.calls("add_question", question="How much?", options=["3 EUR", "4 EUR"], blocking=True)
    await ada.calls("check_pause")
    await bob.calls("add_message", content="for me alone", visibility="private")
    await ada.calls("set_memory", key="k", value={"a": 1})
    await table.agent("ada").calls("set_memory", key="g", value=[1])
    await ada.calls("scratch_create", scratch_id="pad", metadata={"title": "T", "namespace": "team"})
    await ada.calls("scratch_append_cell", scratch_id="pad", cell={"language": "json", "content": "{}", "tags": ["x"]})
    async with signed_in(table.http) as browser:
        await browser.post("/sessions/sess_one/answers", {"answers": [{"question_id": "q1", "answer": "3 EUR"}]})
    # Reads are written to the audit log a moment later.
    await table.app.ledger.flush()
    return table
