local function f()
  return 1
  print("never")
end
