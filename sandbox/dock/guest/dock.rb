# The module wb: what a block may ask of the host.
#
#   require "wb"
#   WB::KV.put("count", "1")
#
# Bytes are text where they are UTF-8, else binary; nil says that there is
# nothing. What was refused or went wrong is a WB::Error with a code.
module WB
  class Error < ::StandardError
    attr_reader :code, :hint

    def initialize(message, code = 'failed', hint = '')
      super(hint.to_s.empty? ? message : "#{message} (#{hint})")
      @code, @hint = code, hint.to_s
    end
  end

  module Dock
    def self.text(value) = value.is_a?(::String) ? value.b : value.to_s.b

    def self.ask(operation, args)
      frame = [operation.bytesize].pack('V') + operation.b + [args.size].pack('V')
      args.each { |a| frame << [a.bytesize].pack('V') << a }
      reply = begin
        ::File.open('/dev/dock', 'r+b') do |f|
          f.write([frame.bytesize].pack('V') + frame)
          f.flush
          f.seek(0)
          f.read(f.read(4).unpack1('V'))
        end
      rescue ::Errno::ENOENT
        raise Error.new('this block was granted no capabilities of the host', 'denied', 'it asks with :uses, and wb run --grant grants it')
      end
      body = reply.byteslice(1..)
      case reply.getbyte(0)
      when 1 then body
      when 2
        problem = ::JSON.parse(body.force_encoding('UTF-8'))
        raise Error.new(problem['error'], problem['code'], problem['hint'])
      end
    end

    def self.define(entry)
      operation, params, result = "#{entry['module']}.#{entry['name']}", entry['params'], entry['result']
      name = CONSTANTS.fetch(entry['module'])
      place = ::WB.const_defined?(name, false) ? ::WB.const_get(name) : ::WB.const_set(name, ::Module.new)
      place.define_singleton_method(entry['name']) do |*args|
        raise ::ArgumentError, "#{entry['doc'][/\A[^:]*/]} takes #{params.size} arguments" if args.size > params.size
        wire = params.each_with_index.map do |p, i|
          value = args[i]
          if value.nil? then ''.b
          elsif p.start_with?('?') then ::JSON.generate(value).b
          else Dock.text(value)
          end
        end
        reply = Dock.ask(operation, wire)
        next nil if reply.nil? || result == ''
        text = reply.dup.force_encoding('UTF-8')
        next ::JSON.parse(text) if result == 'json'
        text.valid_encoding? ? text : reply
      end
    end
  end
end
WB::Dock::CONSTANTS = JSON.parse(<<'WB_END')
CONSTANTS
WB_END
JSON.parse(<<'WB_END').each { |entry| WB::Dock.define(entry) }
TABLE
WB_END
$LOADED_FEATURES << 'wb.rb'
