"""Now: who does what at this moment, over all open sessions of a tenant."""
