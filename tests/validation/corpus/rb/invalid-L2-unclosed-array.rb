colours = ["red", "green"
puts colours.first
x = 1
