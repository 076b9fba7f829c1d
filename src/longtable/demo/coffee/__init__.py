"""What the team of the demo works on: which coffee machine an office of 24 people should get."""

PURPOSE = "Write a one-page guide: which coffee machine should our office of 24 people get?"
WISH = "We need a new coffee machine by the end of the month. Find out which one, and tell everybody on one page."
