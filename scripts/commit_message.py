"""Refuses a commit message whose subject is long, closed with a full stop, or not followed by a blank line."""

import sys
from pathlib import Path

LONGEST_SUBJECT = 72


def faults(message: str) -> list[str]:
    """What is wrong with the form of a commit message, in words for the author."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    found = []
    if not subject.strip():
        found.append("The subject is empty.")
    if len(subject) > LONGEST_SUBJECT:
        found.append(f"The subject has {len(subject)} characters; {LONGEST_SUBJECT} are allowed.")
    if subject.endswith("."):
        found.append("The subject ends with a full stop.")
    if subject[:1].islower():
        found.append("The subject starts with a small letter.")
    if len(lines) > 1 and lines[1].strip():
        found.append("The line after the subject is not blank.")
    return found


def main() -> int:
    """Check the file git names; exit with 1 when something is wrong."""
    found = faults(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
