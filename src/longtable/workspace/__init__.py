"""The workspace as a whole: a session's notes, draft, plan and questions in one answer."""
