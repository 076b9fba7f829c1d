"""Words in names of tools, by what they say about the effect. Lists, not rules: `verbs.py` decides."""

INTERNAL = frozenset({"internal", "migrate", "debug", "admin"})

READING = frozenset(
    {
        *("get", "list", "read", "fetch", "search", "check", "validate", "preview", "query"),
        *("browse", "calculate", "cat", "compare", "count", "describe", "detect", "estimate", "exists", "explain"),
        *("extract", "find", "geocode", "glob", "grep", "inspect", "lookup", "ls", "peek", "recommend", "retrieve"),
        *("crawl", "diff", "scan", "scrape", "show", "suggest", "summarize", "translate", "verify", "view", "whoami"),
    }
)
"""Verbs, wherever they stand in the name."""

READING_AT_THE_END = frozenset(
    {
        *("contents", "details", "diff", "directions", "distance", "documentation", "elevation", "help", "history"),
        *("info", "log", "logs", "metadata", "metrics", "names", "outline", "profile", "schema", "stats", "statistics"),
        *("map", "research", "screenshot", "snapshot", "status", "summary", "tree", "version", "versions"),
    }
)
"""Nouns that name what is read when they end the name: `git_log`, but not `log_event`."""

SQL = frozenset({"cypher", "eval", "evaluate", "gremlin", "psql", "sparql", "sql"})
"""With these a tool takes a program, which may do anything."""

NOUNS_TOO = frozenset(
    {
        *("archive", "backup", "branch", "build", "call", "commit", "copy", "dispatch", "draft", "duplicate", "email"),
        *("fork", "invite", "label", "link", "mail", "mark", "pin", "post", "process", "pull", "record", "reply"),
        *("schedule", "star", "subscribe", "tag", "watch"),
    }
)
"""Verbs that are as often nouns. After a reading verb they are what is read: `get_commit`."""

JOINING = frozenset({"and", "or", "then"})
"""The next word is a verb again: `get_user_and_ban`."""

ACTING = frozenset(
    {
        # The list of the product.
        *("delete", "remove", "drop", "truncate", "purge", "update", "modify", "replace", "overwrite"),
        *("publish", "deploy", "release", "send", "pay", "charge", "batch", "bulk"),
        # Data.
        *("add", "alter", "append", "apply", "assign", "attach", "change", "clean", "clear", "clone", "create"),
        *("compose", "convert", "customize", "cut", "decrement", "del", "destroy", "detach", "dismiss", "disassociate"),
        *("associate", "edit", "empty", "enqueue", "erase", "export", "expire", "fill", "fix", "flush"),
        *("format", "freeze", "generate", "hide", "highlight", "import", "increment", "init", "initialize", "insert"),
        *("interact", "join", "load", "make", "manage", "management", "merge", "move", "mutate", "new", "normalize"),
        *("nuke", "organize", "paste", "patch", "persist", "populate", "prepend", "provision", "prune", "put"),
        *("rebuild", "reindex", "rename", "reorder", "repair", "resize", "resolve", "restore", "revert", "rewrite"),
        *("rollback", "save", "seed", "set", "setup", "shrink", "split", "store", "swap", "sync", "toggle"),
        *("transform", "transition", "trash", "trim", "undo", "unlink", "unset", "upsert", "upload", "wipe", "write"),
        # Accounts, people, money.
        *("accept", "activate", "allow", "approve", "authorize", "ban", "block", "book", "buy", "cancel", "claim"),
        *("close", "complete", "confirm", "connect", "deactivate", "decline", "demote", "deny", "deposit", "disable"),
        *("disallow", "disconnect", "donate", "enable", "enroll", "finalize", "finish", "flag", "follow", "forgive"),
        *("forward", "give", "grant", "hire", "fire", "kick", "leave", "like", "lock", "login", "logout"),
        *("mention", "mute", "notify", "offer", "open", "own", "promote", "protect", "purchase", "redeem", "refund"),
        *("register", "reject", "reopen", "reserve", "resume", "revoke", "rotate", "sell", "share", "sign", "signup"),
        *("submit", "suspend", "transfer", "trade", "unban", "unblock", "unflag", "unfollow", "unlock", "unmute"),
        *("unpin", "unprotect", "unpublish", "unregister", "unshare", "unstar", "unsubscribe", "unwatch", "vote"),
        *("warn", "withdraw"),
        # Programs and machines.
        *("abort", "boot", "checkin", "checkout", "click", "compile", "configure", "control", "crash"),
        *("dial", "download", "drag", "emit", "exec", "execute", "expand", "feedback", "force", "handle", "hover"),
        *("inject", "install", "interrupt", "invoke", "kill", "launch", "navigate", "pause", "play", "poke", "press"),
        *("print", "push", "reboot", "reconnect", "reload", "rerun", "reset", "restart"),
        *("rm", "rollout", "run", "scale", "scroll", "select", "shutdown", "signal", "simulate", "spawn", "start"),
        *("stop", "switch", "synthesize", "terminate", "trigger", "uninstall", "unload", "upgrade", "use"),
        *("wake", "zap"),
    }
)
