value = ARGV.first&.to_i
status = if value.nil? then :none
         elsif value > 10
           :big
         else :small end
puts "x" unless status == :none and not value
result = case value
         when 0, 1..5 then "low"
         when Integer, ->(v) { v.odd? } then "int"
         when /x/ then "x"
         end
puts(result ? "yes" : "no", value && value > 1 ? :a : :b)
x = value || begin
  0
end
puts x
