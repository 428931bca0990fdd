# What wb runs in the interpreter: WB.serve answers the host's requests, JSON in
# and out. It runs before every block, so that blocks find json, set and pp
# loaded, and does not depend on what they redefine later.
require 'json'
require 'set'
require 'pp'
require 'prism'
require 'stringio'

module WB
  class Complaint < Exception; end

  # WHOLE are the integers that cross to another component.
  WHOLE = -2**63...2**64

  UNORDINARY = {
    'NaN' => ::Float::NAN, 'Infinity' => ::Float::INFINITY, '-Infinity' => -::Float::INFINITY
  }.freeze

  @session = nil
  $stdout.sync = true # so that a program can be followed while it runs

  class << self
    def serve(text)
      request = ::JSON.parse(text)
      request['args'] = revived(request['args']) if text.include?('{"$float":')
      @large = request.delete('large')
      ::Random.srand(request['seed']) if request['seed']
      ::Dir.chdir(request['dir']) if request['dir']
      ::ARGV.replace(request['words']) if request['words']
      $0 = 'block'
      answer = begin
        send(request['kind'], request)
      rescue ::SystemExit => e
        { exit: e.status, message: (e.message unless e.message == 'exit') }
      rescue ::Exception => e
        failure(e, request)
      end
      begin
        $stdout.flush
        $stderr.flush
      rescue ::SystemCallError
      end
      ::JSON.generate(answer, script_safe: false)
    end

    # large is a variable that is too large to stand in the code.
    def large(name) = @large.delete(name)

    private

    # check reports the first syntax errors.
    def check(request)
      errors = ::Prism.parse(request['code']).errors.map do |e|
        { line: e.location.start_line, col: e.location.start_column + 1, message: e.message }
      end
      errors.empty? ? {} : { syntax: errors.first(5) }
    end

    # run evaluates the block as a program: its lines count from the body's.
    def run(request, binding = fresh)
      ::Kernel.eval(request['code'], binding, 'block', 1 - request['skip'])
    end

    def fresh = ::TOPLEVEL_BINDING.dup

    def program(request)
      run(request)
      {}
    end

    # value evaluates the block as the body of a function, as ob-ruby does, or in
    # a session as what is typed at irb.
    def value(request)
      if request['session']
        shown(request, run(request, @session ||= fresh))
      else
        code = "lambda do\n#{request['code']}\nend"
        shown(request, ::Kernel.eval(code, fresh, 'block', -request['skip']).call)
      end
    end

    def shown(request, v)
      text = request['pp'] ? v.pretty_inspect : (v.instance_of?(::String) ? v : v.inspect)
      answer = { text: utf8(text), string: v.instance_of?(::String) }
      answer[:cells] = cells(v) if v.is_a?(::Array)
      answer
    end

    # cells are what Emacs reads of an array as inspect writes it.
    def cells(v)
      case v
      when ::Array then v.map { |item| cells(item) }
      when nil, ::Integer then v
      when ::Float then v.finite? ? v : v.inspect
      when ::String then utf8(v)
      else utf8(v.inspect)
      end
    end

    def component(request)
      before = ::Object.private_instance_methods(false)
      $input_raw = request['raw']
      run(request)
      name = method_named(request['func'], ::Object.private_instance_methods(false) - before)
      result = ::TOPLEVEL_BINDING.receiver.send(name, *request['args'])
      { value: plain(outputs(request['outs'], result), []) }
    end

    # method_named is the method of that name, else the only one defined.
    def method_named(name, defined)
      flat = ->(s) { s.to_s.downcase.delete('_-') }
      found = defined.find { |m| m.to_s == name } || defined.find { |m| flat[m] == flat[name] }
      return found if found
      return defined[0] if defined.size == 1
      raise Complaint, 'the block defines no method' if defined.empty?
      raise Complaint, "the block defines #{defined.sort.join(', ')}; name one of them with :func"
    end

    # outputs names several outputs: a hash has them, or an array in order.
    def outputs(outs, result)
      return result if outs.size <= 1 || !result.is_a?(::Array)
      unless result.size == outs.size
        raise Complaint, "the method returned #{result.size} values for the #{outs.size} outputs #{outs.join(', ')}"
      end
      outs.zip(result).to_h
    end

    # revived is a value of the host, where NaN and the infinities are objects.
    def revived(v)
      case v
      when ::Array then v.map { |item| revived(item) }
      when ::Hash then v.size == 1 && UNORDINARY[v['$float']] || v.transform_values { |item| revived(item) }
      else v
      end
    end

    # plain is a value as JSON knows them, and NaN as the host does.
    def plain(v, path)
      raise Complaint, "#{where(path)} is nested too deep, or contains itself" if path.size > 90
      case v
      when nil, true, false then v
      when ::Integer
        raise Complaint, "#{where(path)} is an integer of more than 64 bits; return it as text" unless WHOLE.cover?(v)
        v
      when ::Float
        v.finite? ? v : { '$float' => v.to_s }
      when ::String then utf8(v)
      when ::Symbol then utf8(v.name)
      when ::Array then v.each_with_index.map { |item, i| plain(item, path + [i]) }
      when ::Set then v.each_with_index.map { |item, i| plain(item, path + [i]) }
      when ::Hash then v.to_h { |k, item| [k.is_a?(::Symbol) ? k.name : k.to_s, plain(item, path + [k])] }
      when ::Struct, ::Data then plain(v.to_h, path)
      else raise Complaint, "#{where(path)} is a #{v.class}, which is no JSON value"
      end
    end

    def where(path) = path.empty? ? 'the result' : "the result's #{path.first(4).join('.')}"

    def utf8(s)
      s = s.dup.force_encoding(::Encoding::UTF_8) if s.encoding == ::Encoding::BINARY
      s.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
    end

    # failure is an exception nobody in the block has rescued.
    def failure(e, request)
      message = e.message
      if e.is_a?(Complaint)
        return { failure: { class: '', message: utf8(message), stack: [] } }
      end
      stack = (e.backtrace_locations || []).take_while { |l| l.path != 'wb' }
      spot = begin
        at = stack.find { |l| l.path == 'block' }
        at && ::ErrorHighlight.spot(e, point_type: :name, backtrace_location: at)
      rescue ::Exception
        nil
      end
      { failure: { class: e.class.to_s, message: utf8(message), memory: e.is_a?(::NoMemoryError),
                   col: spot && spot[:first_column] && spot[:first_column] + 1,
                   stack: stack.first(30).map { |l| { path: l.path.to_s, line: l.lineno, label: l.label.to_s } } } }
    end
  end
end

# There are no processes in the sandbox: every way to start one says so.
[[Kernel, %i[` exec spawn system]], [Kernel.singleton_class, %i[` exec spawn system]],
 [Process.singleton_class, %i[daemon exec spawn]], [IO.singleton_class, %i[popen]]].each do |owner, names|
  names.each do |name|
    owner.define_method(name) do |*, **|
      raise NotImplementedError, 'there are no processes in the sandbox; do it in a block of the language it is written in, and take its result with :var', caller_locations(1)
    end
    owner.send(:private, name) if owner == Kernel
  end
end

RubyVM.keep_script_lines = true
GC.start
nil
