def area(w, h)
  (w * h
end
puts area(1, 2)
