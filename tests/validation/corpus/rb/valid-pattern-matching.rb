config = { db: { user: "admin", ports: [5432, 5433] }, mode: :dev }

case config
in { db: { user: String => user, ports: [Integer => first, *] }, mode: :dev | :test => mode } if first > 1024
  puts "#{user} on #{first} in #{mode}"
in { db: nil } | []
  puts "none"
in { mode: ^(1 + 1), **rest } unless rest.empty?
  puts rest
in { mode:, **nil }
  puts mode
else
  puts "other"
end

config => { db: { user: } }
puts user if config in { mode: Symbol }
