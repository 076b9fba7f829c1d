numbers = [1, 2, 3, 4]
puts numbers.each_with_index.map { |n, i| n * i }.select(&:even?).sum
numbers.each_slice(2) do |(a, b), *rest|
  puts "#{a}-#{b}" unless rest.any?
end
double = ->(n, by: 2) { n * by }
square = lambda do |n| n * n end
puts numbers.map { it + 1 }.inspect, numbers.map { _1 * 2 }.inspect
compose = double >> square
puts compose.(3), double[4], compose.call(5)
def wrap(&) = yield_all(&)
def yield_all(*, **, &) = [*, *[1]].each(&)
