list = [1, 2]
list.each { |n|
  puts n
end
