"""The client without `async`, generated from the one with it."""
