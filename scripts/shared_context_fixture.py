"""Makes the small database of shared-context-server that the tests import, with the schema that the program installs.

python -m scripts.shared_context_fixture .tools/peers/lib/python3.11/site-packages/database_sqlite.sql OUTPUT
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

_SESSION = "session_0123456789abcdef"


def main() -> None:
    schema, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(target)) as connection:
        connection.executescript(schema.read_text(encoding="utf-8"))
        connection.execute(
            "INSERT INTO sessions (id, purpose, created_by, metadata) VALUES (?, ?, ?, ?)",
            (_SESSION, "Plan the launch", "ada", '{"team": "web"}'),
        )
        for sender, kind, content, visibility, parent in (
            ("ada", "claude", "Who writes the post?", "public", None),
            ("bob", "gemini", "I do.", "public", 1),
            ("ada", "claude", "He is late again.", "private", None),
            ("root", "admin", "rotate keys", "admin_only", None),
        ):
            connection.execute(
                """INSERT INTO messages (session_id, sender, sender_type, content, visibility, parent_message_id)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                (_SESSION, sender, kind, content, visibility, parent),
            )
        for session_id, key, value in ((_SESSION, "draft", '{"words": 300}'), (None, "style", '"short"')):
            connection.execute(
                "INSERT INTO agent_memory (agent_id, session_id, key, value) VALUES ('ada', ?, ?, ?)",
                (session_id, key, value),
            )
        connection.commit()
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")


if __name__ == "__main__":
    main()
