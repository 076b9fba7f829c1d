def name(n)
  case n
  when 1 "one"
  else "many"
  end
end
