"""What an agent that arrives needs to know, in one answer of a bounded length."""
