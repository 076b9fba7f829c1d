# frozen_string_literal: true

=begin
A block comment with end and { and "
=end
def noop(*) # } end
  nil
end
noop 1
puts "#{"nested #{"deep"}"} # not a comment"
