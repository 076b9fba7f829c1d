# frozen_string_literal: true

require "json"
require_relative "./lib/thing"

module Shop
  VERSION = "1.0.#{Time.now.year}"
  Point = Struct.new(:x, :y, keyword_init: true) do
    def +(other) = Point.new(x: x + other.x, y: y + other.y)
    def to_s = "(#{x}, #{y})"
  end
  Coord = Data.define(:lat, :lng) { def zero? = lat.zero? && lng.zero? }

  class Error < StandardError; end

  class Cart
    include Enumerable
    attr_reader :items, :owner
    alias_method :lines, :items

    def initialize(owner, *items, currency: :eur, **opts, &block)
      @owner, @items = owner, items
      @opts = { currency:, owner:, **opts }
      instance_eval(&block) if block_given?
    end

    def each(&) = @items.each(&)
    def forward(...) = helper(...)
    def anon(*, **) = helper(*, **)
    def empty? = @items.empty?
    def [](i) = @items[i]
    def []=(i, v)
      @items[i] = v
    end
    def total = @items.sum { it[:price] * it.fetch(:qty, 1) }
    def double = @items.map { _1 * 2 }
    def !; false; end
    def -@ = self.class.new(owner)
    def call(x) = (x in { name: String => n, age: 18.. }) ? n : nil

    class << self
      private def build(...) = new(...)
      attr_accessor :config
    end

    def classify(value)
      expected = 5
      case value
      in Integer | Float => n if n > 100 then "big"
      in { type: "a", items: [first, *, { id: Integer => id }] } unless id.nil? then [first, id]
      in [Integer => a, [b, *c], *] then a
      in String => s unless s.empty?
        s
      in ^expected | nil
        :nope
      in Point[x:, y: 0]
        x
      in { name:, **nil }
        name
      in { role: :admin | :owner => role, **rest }
        "#{role} #{rest}"
      in [*, 3, *post]
        post
      in 1..5 | ..0 | /re/i | ->(v) { v == 5 }
        0
      else
        raise Error, "no match for #{value.inspect}"
      end
    end

    def report(to: $stdout)
      to.puts <<~HEAD.strip, <<-'RAW', <<~"TAIL".lines.map(&:chomp)
        Cart of #{owner.name.then { |n| n.empty? ? "nobody" : n }}
          #{items.map do |i| i[:name] end.join(", ")}
      HEAD
        raw #{not} interpolated
        RAW
        tail
      TAIL
      begin
        Integer("x")
      rescue ArgumentError, TypeError => e
        retry if (tries += 1) < 3
        warn e.message
      else
        puts "fine
      ensure
        @closed = true
      end
    rescue => e then raise
    end

    private

    attr_writer :items
    def helper(a = 1, b = a * 2, *rest, c:, d: 4, **opts); end
  end
end
