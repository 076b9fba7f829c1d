"""Encrypts a backup with a passphrase: scrypt makes the key, AES-256-GCM seals each part together with its place in the
file, so that a part which is changed, moved or cut off is noticed."""

import os
import secrets
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from longtable.kernel.errors import ConfigError

MAGIC: Final = b"longtable backup\x00\x01"
_HEADER: Final = struct.Struct(f">{len(MAGIC)}sBBB16s")
_COST: Final = (17, 8, 1)
"""128 MiB and about half a second for each guess: the logarithm of n, r and p of scrypt."""
_MOST_COST: Final = 20
_CHUNK: Final = 2**16
_TAG: Final = 16


def is_encrypted(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def encrypt_file(source: Path, target: Path, passphrase: str) -> int:
    """`target` appears only when it is complete. Returns its size."""
    header = _HEADER.pack(MAGIC, *_COST, secrets.token_bytes(16))
    cipher = _cipher(header, passphrase)
    unfinished = target.with_name(f"{target.name}.part-{os.getpid()}")
    try:
        with source.open("rb") as plain, _new(unfinished) as sealed:
            sealed.write(header)
            for number, (chunk, is_last) in enumerate(_chunks(plain, _CHUNK)):
                sealed.write(cipher.encrypt(_nonce(number, is_last), chunk, header))
            sealed.flush()
            os.fsync(sealed.fileno())
            size = sealed.tell()
        os.replace(unfinished, target)
        return size
    finally:
        unfinished.unlink(missing_ok=True)


def decrypt_file(source: Path, target: Path, passphrase: str) -> None:
    """Raises ConfigError when the passphrase is another one, or the file is not as it was written."""
    try:
        with source.open("rb") as sealed, _new(target) as plain:
            header = sealed.read(_HEADER.size)
            cipher = _cipher(header, passphrase)
            for number, (chunk, is_last) in enumerate(_chunks(sealed, _CHUNK + _TAG)):
                plain.write(cipher.decrypt(_nonce(number, is_last), chunk, header))
    except (InvalidTag, ValueError, struct.error):
        target.unlink(missing_ok=True)
        raise ConfigError(
            f"{source} cannot be decrypted: the passphrase is another one, or the file was changed or cut off."
        ) from None


def _cipher(header: bytes, passphrase: str) -> AESGCM:
    _, log_n, r, p, salt = _HEADER.unpack(header)
    if log_n > _MOST_COST or r > 32 or p > 4:
        raise ValueError("no cost that this program ever chose")
    return AESGCM(Scrypt(salt=salt, length=32, n=2**log_n, r=r, p=p).derive(passphrase.encode()))


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


def _chunks(file: BinaryIO, size: int) -> Iterator[tuple[bytes, bool]]:
    """Each with whether it is the last; there is at least one."""
    chunk = file.read(size)
    while following := file.read(size):
        yield chunk, False
        chunk = following
    yield chunk, True


def _new(path: Path) -> BinaryIO:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600), "wb")
