-- What wb runs in the interpreter: serve answers the host's requests. It stands
-- between the host and a block, so it keeps the functions it uses, which blocks
-- may replace.
local host = ...
local load, pcall, xpcall, select, type, tostring, error = load, pcall, xpcall, select, type, tostring, error
local pairs, rawequal, sort, concat, find, gsub, pack, unpack = pairs, rawequal, table.sort, table.concat, string.find, string.gsub, table.pack, table.unpack
local traceback, getmetatable, gmatch, setmetatable = debug.traceback, debug.getmetatable, string.gmatch, setmetatable
local lower, null, G, randomseed, next, rawget, rawset = string.lower, null, _G, math.randomseed, next, rawget, rawset

package.path = './?.lua;./?/init.lua'
package.cpath = ''

-- The module wb stands here, made from the table of package dock.
--@wb

-- JSON for blocks, and for large variables, which are written as it.
package.preload['wb.json'] = function() return { decode = host.decode, encode = host.encode } end

-- failure is what xpcall makes of an error: its message and its stack without
-- the frames of this file.
local function failure(e)
  local message = type(e) == 'string' and e or nil
  if message == nil then
    local meta = getmetatable(e)
    if meta and meta.__tostring or type(e) ~= 'table' then
      message = tostring(e)
    else
      local ok, text = pcall(host.encode, e)
      message = ok and 'error object ' .. text or '(error object is a table value)'
    end
  end
  local stack = {}
  for line in gmatch(traceback('', 2), '[^\n]+') do
    if find(line, 'boot.lua:', 1, true) then break end
    if find(line, '^%s') and not find(line, "[C]: in function 'error'", 1, true) then
      stack[#stack + 1] = (gsub(gsub(line, '^%s+', ''), "in local 'chunk'$", 'in the block'))
    end
  end
  return { message = message, stack = stack }
end

-- complain ends a run with a message of wb's own.
local complaint = { __tostring = function(e) return e.message end }
local function complain(...) error(setmetatable({ message = concat({...}) }, complaint)) end

-- dump is a value as ob-lua writes it; tables are spread out line by line.
local function dump(it, deep, indent, seen)
  indent = indent or ''
  if type(it) ~= 'table' or not deep then
    return tostring(it)
  end
  if seen[it] then return '...' end
  seen[it] = true
  local keys = {}
  for key in pairs(it) do keys[#keys + 1] = key end
  sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') then return a < b end
    if type(a) ~= type(b) then return type(a) < type(b) end
    return tostring(a) < tostring(b)
  end)
  local lines = {}
  for i, key in pairs(keys) do
    lines[i] = indent .. dump(key) .. ' = ' .. dump(it[key], true, indent .. '  ', seen)
  end
  seen[it] = nil
  return (indent ~= '' and '\n' or '') .. concat(lines, '\n')
end

-- shown is what a block has returned: how many values, their text, and the
-- tables among them as tables.
local function shown(pp, ...)
  local n = select('#', ...)
  local first = ...
  local texts = {}
  for i = 1, n do
    local v = select(i, ...)
    texts[i] = dump(v, pp or type(v) == 'table', '', {})
  end
  local answer = { n = n, text = concat(texts, ', ') }
  if n == 1 and type(first) == 'table' then
    local ok, text = pcall(host.encode, first)
    if ok then answer.json = text end
  end
  return answer
end

-- plain is a name as people say it: parse_input and parseInput are one.
local function plain(name) return lower((gsub(name, '[_-]', ''))) end

-- called finds the function a component is about: the one of that name, else
-- the only one that the block has defined or returned.
local function called(request, before, result)
  if type(result) == 'function' then return result end
  local place, name = type(result) == 'table' and result or G, request.func
  if type(place[name]) == 'function' then return place[name] end
  local names, alike = {}, nil
  for key, v in pairs(place) do
    if type(v) == 'function' and type(key) == 'string' and not before[key] then
      names[#names + 1] = key
      if plain(key) == plain(name) then alike = v end
    end
  end
  if alike then return alike end
  if #names == 1 then return place[names[1]] end
  sort(names)
  if #names == 0 then complain('the block defines no function') end
  complain('the block defines ', concat(names, ', '), '; name one of them with :func')
end

-- outputs gives what a function has returned the names of the outputs: one
-- value each, or one table with all of them.
local function outputs(outs, ...)
  local n = select('#', ...)
  if #outs <= 1 then return (...) end
  if n == 1 and type(...) == 'table' then return (...) end
  if n ~= #outs then
    complain('the function returned ', n, n == 1 and ' value' or ' values', ' for the ', #outs, ' outputs ', concat(outs, ', '))
  end
  local named = {}
  for i, name in pairs(outs) do
    local v = select(i, ...)
    if v == nil then v = null end
    named[name] = v
  end
  return named
end

local kinds = {}

function kinds.check() return { ok = true } end

function kinds.program(request, chunk)
  chunk(unpack(request.args, 1, #request.args))
  return { ok = true }
end

function kinds.value(request, chunk)
  return shown(request.pp, chunk())
end

-- floats that JSON has no number for, as the host writes them.
local unordinary = { NaN = -(0/0), Infinity = 1/0, ['-Infinity'] = -1/0 }

-- revived is a value of the host with such floats.
local function revived(v)
  if type(v) ~= 'table' then return v end
  local float = unordinary[rawget(v, '$float')]
  if float and next(v, '$float') == nil and next(v) == '$float' then return float end
  for key, item in next, v do v[key] = revived(item) end
  return v
end

-- marked is a result in which such floats are as the host reads them. Tables
-- that hold one are copied, since they are the block's.
local function marked(v, seen)
  if type(v) == 'number' and v ~= v then return { ['$float'] = 'NaN' } end
  if type(v) == 'number' and v - v ~= 0 then return { ['$float'] = v > 0 and 'Infinity' or '-Infinity' } end
  if type(v) ~= 'table' then return v end
  if seen[v] then return seen[v] end
  seen[v] = v
  local copy
  for key, item in next, v do
    local m = marked(item, seen)
    if not rawequal(m, item) then
      if not copy then
        copy = {}
        for k, i in next, v do copy[k] = i end
        setmetatable(copy, getmetatable(v))
      end
      rawset(copy, key, m)
    end
  end
  seen[v] = copy or v
  return seen[v]
end

function kinds.component(request, chunk)
  local before = {}
  for key, v in pairs(G) do
    if type(v) == 'function' then before[key] = true end
  end
  G.inputRaw = request.raw
  local result = chunk()
  local f = called(request, before, result)
  local args = request.args
  for i = 1, request.n do
    if rawequal(args[i], null) then args[i] = nil end
  end
  local result = outputs(request.outs, f(unpack(args, 1, request.n)))
  return { json = host.encode(marked(result, {})) }
end

return function(request)
  if request.seed then randomseed(request.seed) end
  if request.dir then host.chdir(request.dir) end
  if request.floats then request.args = revived(request.args) end
  G.arg = { [0] = 'block', unpack(request.args or {}) }
  if request.kind == 'component' then G.arg = nil end
  local chunk, message = load(request.code, '=block', 't')
  if not chunk then return { failure = { message = message, stack = {}, syntax = true } } end
  local ok, answer = xpcall(kinds[request.kind], failure, request, chunk)
  if ok then return answer end
  if type(answer) ~= 'table' then answer = { message = tostring(answer), stack = {} } end -- memory ran out
  return { failure = answer }
end
