"""Records: the audit log, for those who answer for a tenant."""
