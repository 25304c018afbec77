# frozen_string_literal: true

require "csv"
require "json"

module Import
  class Error < StandardError; end

  # One line of the file that could not be read.
  Problem = Struct.new(:line, :message)

  class Reader
    REQUIRED = %w[name email].freeze

    attr_reader :problems

    def initialize(path, encoding: "UTF-8")
      @path = path
      @encoding = encoding
      @problems = []
    end

    # Yields each valid row as a hash; what is wrong is kept in `problems`.
    def each
      return enum_for(:each) unless block_given?

      CSV.foreach(@path, headers: true, encoding: @encoding).with_index(2) do |row, line|
        missing = REQUIRED.reject { |column| row[column] && !row[column].strip.empty? }
        if missing.any?
          @problems << Problem.new(line, "missing: #{missing.join(", ")}")
          next
        end
        unless row["email"].include?("@")
          @problems << Problem.new(line, "not an address: #{row["email"]}")
          next
        end
        yield row.to_h.transform_values(&:strip)
      end
    end

    def self.open(path)
      raise Error, "#{path} is missing" unless File.exist?(path)

      new(path)
    end

    def valid?
      problems.empty?
    end

    private

    def log(message)
      warn "[import] #{message}"
    end
  end

  class JsonWriter
    def initialize(io)
      @io = io
    end

    def write(rows)
      @io.puts JSON.generate(rows.to_a)
    end
  end
end
