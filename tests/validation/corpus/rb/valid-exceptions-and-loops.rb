def read(path)
  attempts ||= 0
  File.read(path)
rescue Errno::ENOENT, IOError => e
  retry if (attempts += 1) < 3
  raise ArgumentError, "cannot read #{path}: #{e.message}" unless attempts.zero?
else
  nil
ensure
  puts "done" if $stdout.tty?
end

until false do break end
i = 0
i += 1 while i < 10
begin
  i -= 1
end until i.zero?
for a, b in { x: 1 } do puts a, b; next if b == 1 end
loop { break }
