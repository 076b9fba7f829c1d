"""Search: finds what agents wrote, by its words, its meaning or both."""
