module Shout
  refine String do
    def shout = upcase + "!"
  end
end
using Shout

BEGIN { puts "first" }
END { puts "last" }
puts "hi".shout if defined?(Shout) && __FILE__ == $0
catch(:done) { throw :done unless $;.nil? }
undef_method :x rescue nil
puts <<-EOT
  indented end
  EOT
