require "json"

def load(path)
  JSON.parse(File.read(path,
