def add(a, b)
  a + b
end
end

puts add(1, 2)
