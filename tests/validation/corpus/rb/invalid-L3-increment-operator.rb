count = 0
count++
puts count
