Point = Struct.new(:x, :y, keyword_init: true) do
  def +(other) = Point.new(x: x + other.x, y: y + other.y)
  def to_s = "(#{x}, #{y})"
  def norm() = Math.sqrt(x**2 + y**2)
end

Coord = Data.define(:lat, :lng) do
  def valid? = lat.between?(-90, 90) && !lng.nil?
end

x = 1
y = 2
puts Point.new(x:, y:) + Point.new(x: 3, y:)
