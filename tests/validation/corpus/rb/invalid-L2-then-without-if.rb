x = 3
x > 2 then puts "big"
end
