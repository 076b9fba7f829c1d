name = "Ada"
puts "hello #{name"
x = 1
