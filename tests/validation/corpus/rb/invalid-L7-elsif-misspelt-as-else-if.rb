def sign(n)
  if n > 0
    1
  else if n < 0
    -1
  end
end
