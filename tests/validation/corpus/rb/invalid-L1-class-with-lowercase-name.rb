class person
  attr_reader :name
end
