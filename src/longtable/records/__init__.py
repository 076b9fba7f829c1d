"""Records: the audit log of a tenant."""
