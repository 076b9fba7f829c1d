def f a, b = 1,
      *c, d:, e: 2,
      **g, &h
  [a,b,c,d,
   e,g,h,]
end
f 1, 2,
  d: 3 do |x| x end
foo = [1, 2]
  .map { |n|
    n + 1
  }
  # a comment in the chain
  .reject do |n| n > 2 end
p((1 if foo), -foo.size, *foo, **{})
a = b = 1; a, (b, *c), d = 1, [2, 3], 4
puts [a, b, c, d].sum \
  + 1
