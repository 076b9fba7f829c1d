name = "Ada"
puts "hello
x = 1
