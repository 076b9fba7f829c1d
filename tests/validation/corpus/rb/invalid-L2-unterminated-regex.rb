text = "a1"
puts text =~ /[a-z+
x = 1
