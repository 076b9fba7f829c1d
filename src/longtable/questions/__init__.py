"""Questions: what agents ask people, the answers, and when the work should pause for them."""
