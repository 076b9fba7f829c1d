def half(x) -> Float
  x / 2.0
end
