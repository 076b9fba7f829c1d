"""What a human opens in a browser."""
