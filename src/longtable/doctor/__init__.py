"""Looks at an installation, its store and its surroundings, and says what is wrong and what helps."""
