-- The module wb: what a block may ask of the host. Its functions are made from
-- the host's table. nil says that there is nothing; what was refused or went
-- wrong is an error with the fields code, message and hint.
package.preload.wb = (function(host)
  local table_ = [==[TABLE]==]
  local open, pack, unpack, error, select, setmetatable = io.open, string.pack, string.unpack, error, select, setmetatable
  local tostring, type, pcall, concat, getinfo = tostring, type, pcall, table.concat, debug.getinfo
  local null, encode, decode = host.null, host.encode, host.decode

  local failure = {}
  failure.__index = failure
  failure.__tostring = function(e) return e.where .. e.message .. (e.hint ~= '' and ' (' .. e.hint .. ')' or '') end
  local function fail(message, code, hint, level)
    local at = getinfo((level or 1) + 2, 'Sl')
    local where = at and at.currentline > 0 and at.short_src .. ':' .. at.currentline .. ': ' or ''
    error(setmetatable({ message = message, code = code or 'failed', hint = hint or '', where = where }, failure))
  end

  local function ask(operation, args)
    local parts = { pack('<s4', operation), pack('<I4', #args) }
    for i = 1, #args do parts[#parts + 1] = pack('<s4', args[i]) end
    local f = open('/dev/dock', 'r+b')
    if not f then
      fail('this block was granted no capabilities of the host', 'denied', 'it asks with :uses, and wb run --grant grants it', 2)
    end
    f:setvbuf('full', 65536)
    local ok = f:write(pack('<s4', concat(parts))) and f:flush()
    f:seek('set', 0)
    local head = ok and f:read(4)
    local reply = head and f:read((unpack('<I4', head)))
    f:close()
    if not reply then fail('the host gave no answer', 'failed', '', 2) end
    local status, body = reply:byte(), reply:sub(2)
    if status == 2 then
      local problem = decode(body)
      fail(problem.error, problem.code, problem.hint, 2)
    end
    if status == 1 then return body end
    return nil
  end

  local wb = {}
  for _, entry in ipairs(decode(table_)) do
    local operation, params, result = entry.module .. '.' .. entry.name, entry.params, entry.result
    wb[entry.module] = wb[entry.module] or {}
    wb[entry.module][entry.name] = function(...)
      if select('#', ...) > #params then fail(entry.doc:match('^[^:]*') .. ' takes ' .. #params .. ' arguments', 'invalid') end
      local args = {}
      for i = 1, #params do
        local value = (select(i, ...))
        if value == nil then
          args[i] = ''
        elseif params[i]:sub(1, 1) == '?' then
          args[i] = encode(value)
        else
          args[i] = tostring(value)
        end
      end
      local reply = ask(operation, args)
      if reply == nil or result == '' then return nil end
      if result == 'json' then
        local value = decode(reply)
        if value == null then return nil end
        return value
      end
      return reply
    end
  end
  return function() return wb end
end)(host)
