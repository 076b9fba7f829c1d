"""Encrypts what is stored of an authorization. The key is an option, or a file beside the store that only its owner can
read; it is made when something is first encrypted."""

import base64
import hashlib
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from longtable.kernel.errors import ConfigError

KEY_FILE = "upstream-tokens.key"
_NONCE_BYTES = 12


class TokenCipher:
    """AES-256-GCM. What a text belongs to is authenticated with it, so that it cannot be moved to another row."""

    def __init__(self, folder: Path, configured: str | None) -> None:
        self._path = folder / KEY_FILE
        self._configured = configured
        self._known: AESGCM | None = None

    def encrypt(self, text: str, *belongs_to: str) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = nonce + self._cipher(create=True).encrypt(nonce, text.encode(), _context(belongs_to))
        return base64.b64encode(sealed).decode()

    def decrypt(self, sealed: str, *belongs_to: str) -> str | None:
        """None where the key is another one by now, or is gone."""
        data = base64.b64decode(sealed)
        try:
            cipher = self._cipher(create=False)
            return cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _context(belongs_to)).decode()
        except (InvalidTag, FileNotFoundError):
            return None

    def _cipher(self, *, create: bool) -> AESGCM:
        if self._known is None:
            secret = self._configured or self._secret_of_file(create=create)
            self._known = AESGCM(hashlib.sha256(b"longtable upstream tokens\0" + secret.encode()).digest())
        return self._known

    def _secret_of_file(self, *, create: bool) -> str:
        if create and not self._path.exists():
            self._create_file()
        try:
            secret = self._path.read_text("ascii").strip()
        except (PermissionError, UnicodeDecodeError):
            raise ConfigError(f"{KEY_FILE} in the data folder cannot be read.") from None
        if len(secret) < 32:
            raise ConfigError(f"{KEY_FILE} in the data folder is no key.", hint="Remove it, and connect again.")
        return secret

    def _create_file(self) -> None:
        """Complete when it appears: another process may make one at the same time."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._path.with_name(f"{KEY_FILE}.{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, self._path)
        except FileExistsError:
            return
        finally:
            draft.unlink()


def _context(belongs_to: tuple[str, ...]) -> bytes:
    return "\0".join(belongs_to).encode()
