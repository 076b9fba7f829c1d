"""Connection ids: random, and signed for the credential that they were issued to, so that nothing has to be kept or
looked up for an id that is not ours."""

import base64
import hmac
import secrets
from dataclasses import dataclass

_PREFIX = "lt1"
_RANDOM_BYTES = 16
_MAC_BYTES = 16
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class ConnectionIds:
    """`key` is the store's: every process on it signs and checks alike."""

    key: bytes

    def issue(self, owner: str, name: str | None = None) -> tuple[str, str]:
        """A new connection's name in the store, and the id that its client sends."""
        name = name or secrets.token_hex(_RANDOM_BYTES)
        return name, f"{_PREFIX}.{name}.{self._mac(name, owner)}"

    def verify(self, connection_id: str, owner: str) -> str | None:
        """The name in the store; None for an id that was not issued here, or to another credential."""
        parts = connection_id.split(".")
        if len(parts) != 3 or parts[0] != _PREFIX or len(parts[1]) != 2 * _RANDOM_BYTES:
            return None
        expected = self._mac(parts[1], owner)
        return parts[1] if hmac.compare_digest(expected.encode(), parts[2].encode()) else None

    def _mac(self, name: str, owner: str) -> str:
        digest = hmac.digest(self.key, f"{name}\n{owner}".encode("utf-8", "surrogatepass"), "sha256")
        return base64.urlsafe_b64encode(digest[:_MAC_BYTES]).decode().rstrip("=")
