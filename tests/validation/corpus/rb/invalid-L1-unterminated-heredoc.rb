text = <<~TEXT
  first line
  second line
puts text
