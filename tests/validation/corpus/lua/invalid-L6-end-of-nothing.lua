function update(dt)
  if moving then
    x = x + speed * dt
  end
end
end

function draw()
  paint(x)
end
