local function show(text)
  print(("%s"):format(text)
end

local function hide(text)
  return nil
end
