"""The running thing: transports, and the guard in front of them."""
