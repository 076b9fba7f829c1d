numbers = [1, 2]
def show(numbers)
  numbers.each { |n| puts n
end
