"""What a notice looks like to its receiver: the same few facts for a webhook, for ntfy, for Slack and as an e-mail."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate
from typing import Final, NamedTuple
from urllib.parse import quote

from longtable.kernel.clock import SECOND, to_iso
from longtable.notifiers.model import LONGEST_PURPOSE, NoticeFacts, NoticeType, OutgoingNotice

SECRET_PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32
_USER_AGENT: Final = {"user-agent": "longtable"}
_TITLES: Final[Mapping[NoticeType, str]] = {
    "question": "A question waits for an answer",
    "approval": "A call waits for approval",
    "task_failed": "A task has failed",
    "agent_silent": "An agent has been silent for long",
    "digest": "Several things wait",
    "test": "A test: notices arrive here",
}
_PRIORITIES: Final[Mapping[NoticeType, str]] = {"question": "4", "approval": "4", "digest": "4"}
"""Of ntfy, where 3 is the usual one."""


@dataclass(frozen=True, slots=True)
class HttpNotice:
    headers: Mapping[str, str]
    body: bytes


class WebhookSigning(NamedTuple):
    secret: str
    notice_id: str
    now: int


def new_signing_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature(signing: WebhookSigning, timestamp: str, body: bytes) -> str:
    """By Standard Webhooks: over id, moment and body."""
    key = base64.b64decode(signing.secret.removeprefix(SECRET_PREFIX))
    signed = b".".join((signing.notice_id.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def facts_of(notice: OutgoingNotice, purpose: str | None, address: str) -> NoticeFacts:
    """`address` is where people reach the console."""
    purpose = _counted(notice) if notice.type == "digest" else purpose
    return NoticeFacts(
        type=notice.type,
        session_id=notice.session_id,
        purpose=None if purpose is None else _one_line(purpose),
        asker=notice.asker,
        waiting_since=to_iso(notice.waiting_since),
        link=address + _path(notice),
    )


def webhook(facts: NoticeFacts, signing: WebhookSigning) -> HttpNotice:
    body = json.dumps(facts._asdict(), ensure_ascii=False).encode()
    timestamp = str(signing.now // SECOND)
    headers = {
        "content-type": "application/json",
        "webhook-id": signing.notice_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(signing, timestamp, body),
    }
    return HttpNotice({**headers, **_USER_AGENT}, body)


def ntfy(facts: NoticeFacts) -> HttpNotice:
    """The title is ours and plain, as it goes into a header; what others wrote goes into the body."""
    headers = {
        "content-type": "text/plain; charset=utf-8",
        "title": f"Longtable: {_TITLES[facts.type]}",
        "priority": _PRIORITIES.get(facts.type, "3"),
        "tags": "bell",
        "click": facts.link,
    }
    return HttpNotice({**headers, **_USER_AGENT}, "\n".join(_lines(facts)).encode())


def slack(facts: NoticeFacts) -> HttpNotice:
    """Escaped, so that no text of an agent mentions anybody or becomes a link."""
    escaped = [_slack_text(line) for line in (_TITLES[facts.type], *_lines(facts))]
    text = "\n".join([f"*{escaped[0]}*", *escaped[1:], f"<{facts.link}|Open in Longtable>"])
    return HttpNotice({"content-type": "application/json", **_USER_AGENT}, json.dumps({"text": text}).encode())


def email(facts: NoticeFacts, notice_id: str, sender: str, to: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = f"Longtable: {_TITLES[facts.type]}"
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{notice_id}@{sender.rpartition('@')[2]}>"
    # So that no automatic reply comes back.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("\n".join([*_lines(facts), "", facts.link, ""]), cte="quoted-printable")
    return message


def _lines(facts: NoticeFacts) -> list[str]:
    who = None if facts.asker is None else f"From: {facts.asker}"
    # In the words of the field: `since` is what the receiver wants to know first.
    return [line for line in (facts.purpose, who, f"Since: {facts.waiting_since[:19]}Z") if line]


def _slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _counted(notice: OutgoingNotice) -> str:
    return f"{notice.covers} notices together"


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * LONGEST_PURPOSE].split())
    line = "".join(letter for letter in line if letter.isprintable())
    return line if len(line) <= LONGEST_PURPOSE else f"{line[: LONGEST_PURPOSE - 1].rstrip()}…"


def _path(notice: OutgoingNotice) -> str:
    session = f"/sessions/{quote(notice.session_id or '', safe='')}"
    paths: Mapping[NoticeType, str] = {
        "question": f"{session}/questions/{notice.item}",
        "approval": f"/inbox/approval/{notice.item}",
        "task_failed": f"{session}/plan/{notice.item}",
        "agent_silent": session,
        "digest": "/inbox",
        "test": "/notifiers",
    }
    return paths[notice.type]
