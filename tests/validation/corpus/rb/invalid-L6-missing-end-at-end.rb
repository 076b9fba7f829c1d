class Greeter
  def greet(name)
    puts "hello #{name}"
  end

Greeter.new.greet("x")
