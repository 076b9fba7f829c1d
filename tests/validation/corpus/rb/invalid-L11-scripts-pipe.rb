#!/usr/bin/env ruby
require 'optparse'

options = { verbose: false, 'a-b': 1, "c#{1}": 2, :d => 3, if: 4, class: 5 }
OptionParser.new do |o|
  o.banner = "Usage: #{$PROGRAM_NAME} [options]"
  o.on('-v', '--[no-]verbose', 'Run verbosely') { |v| options[:verbose] = v }
end.parse!

words = %w[a b c]; syms = %i(x y); str = %q{it's {nested}}; cmd = `ls -l`; rx = %r{^/path/(\d+)}mx
puts words.each_with_index.to_h { |w, i| [w.to_sym, i] }.select { |_, v v.odd? }.sum(&:last)
unless options[:verbose] && !words.empty? or false
  puts "quiet"
else
  puts "loud"
end
until (n ||= 0) > 3 do n += 1 end
for a, (b, *c) in [[1, [2, 3]]] do p a, b, c end
while line = gets
  next if line =~ /^\s*#/
  break unless line
  redo if $~ && $1 == "x"
end
begin; x = 1; end while false
v = if x > 1 then :a elsif x == 1 then :b else :c end
y = case when x < 0 then -1 when 0, 1..2 then 0 else 1 end
f = ->(a, b = 2, *c, d:, e: 5, **g, &h) { a + b }
g = lambda do |x; y| x end
f.(1, d: 2); f[1, d: 2]; g.call 3
h = { "key": 1, **options, f: }
a, (b, *c), d = 1, [2, 3], 4
*init, last = words
puts "%05.2f %s" % [1.5, "x"], 'single #{no}', ?a, :"quoted sym", :[]=, 1_000, 0xff, 1r, 2i, 1e-3
def m(a, b: {}, &blk) = yield(a)
obj&.method&.call(1)&.then { puts it }
puts [1, 2, 3]
  .map { |x| x * 2 }
  # comment in chain
  .select(&:even?)
  &.first
raise ArgumentError.new("x") unless x rescue nil
alias old_puts puts
undef old_puts
END { puts "end" }
p(**{a: 1}, &nil)
p __method__, __FILE__, defined?(foo), not(true), (1 if true), x ? y : z
catch(:done) { throw :done, 5 }
class Foo::Bar < Struct.new(:a); def self.x; end; def (expr).y; end; end
x => {a:} rescue 0
result = (x in Integer)
puts <<~A + <<~B
  a
A
  b
B
puts(<<~SQL, 1)
  SELECT * FROM t WHERE a = '#{x}'
SQL
__END__
anything ((( here "
