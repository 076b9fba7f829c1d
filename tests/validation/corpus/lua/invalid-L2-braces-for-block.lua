local n = 1
if n > 0 {
  print(n)
}
