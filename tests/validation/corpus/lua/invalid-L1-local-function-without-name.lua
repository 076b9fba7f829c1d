local function (a)
  return a
end
