def scale(x, y, x)
  x * y
end
