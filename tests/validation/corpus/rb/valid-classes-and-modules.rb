module Greeting
  DEFAULT = "hello".freeze
  def self.included(base) = base.extend(ClassMethods)

  module ClassMethods
    attr_accessor :registry
  end
end

class Person < Struct.new(:name)
  include Greeting
  include Comparable

  class << self
    def build(...) = new(...)
  end

  def <=>(other) = name <=> other.name
  def [](i) = name[i]
  def name=(value)
    @name = value
  end
  alias_method :to_str, :name
  private def secret = @secret ||= 42
  protected

  def -@ = self
end
