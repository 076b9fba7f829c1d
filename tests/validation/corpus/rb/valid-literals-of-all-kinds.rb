words = %w[a b c] + %w(d (nested) e)
symbols = %i[one two]
text = %q{single 'quoted' {nested}} + %Q[double "#{1 + 1}"] + %(parens (nested))
regex = %r{/path/(\d+)}i =~ "/path/42" || /[\/"'#]/x
hash = { "a" => 1, b: 2, "quoted key": 3, 4 => [5, nil], c?: 1 } rescue nil
chars = [?a, ?\n, :"sym bol", :+, :[]=, 1_000, 0xff, 0b11, 1e3, 3r, 2i]
cmd = `echo #{words.first}`
range = (1..), (..5), ('a'...'z')
puts words, symbols, text, regex, hash, chars, cmd, range, __method__.inspect, "a" "b"
