net = 1
total = net tax: 2 3
puts total
