[1, 2].each do |n
  puts n
end
