"""Events of the draft."""

from longtable.log.model import Event, preview


def created(section_id: str) -> Event:
    return Event("scratchpad/section_created", {"section_name": section_id})


def updated(section_id: str, version: int, content: str) -> Event:
    payload = {"section_name": section_id, "version": version, "content_preview": preview(content)}
    return Event("scratchpad/section_updated", payload)


def read(section_id: str, reader: str) -> Event:
    return Event("scratchpad/section_read", {"section_name": section_id, "reader_agent": reader})
