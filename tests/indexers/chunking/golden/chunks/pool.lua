-- A pool of connections that are used again.
local socket = require("socket")

local Pool = {}
Pool.__index = Pool

local DEFAULT_SIZE = 8

--- Makes a pool for one address.
-- @param host name or number
-- @param port number
function Pool.new(host, port, options)
  options = options or {}
  local self = setmetatable({}, Pool)
  self.host = host
  self.port = port
  self.size = options.size or DEFAULT_SIZE
  self.idle = {}
  self.busy = 0
  return self
end

local function connect(host, port, timeout)
  local connection, message = socket.tcp()
  if not connection then
    return nil, message
  end
  connection:settimeout(timeout)
  local ok, reason = connection:connect(host, port)
  if not ok then
    connection:close()
    return nil, reason
  end
  return connection
end

--- Takes a connection, a new one where none is idle.
function Pool:take(timeout)
  local connection = table.remove(self.idle)
  if connection then
    self.busy = self.busy + 1
    return connection
  end
  if self.busy >= self.size then
    return nil, "all connections are busy"
  end
  local fresh, message = connect(self.host, self.port, timeout or 5)
  if not fresh then
    return nil, message
  end
  self.busy = self.busy + 1
  return fresh
end

function Pool:give(connection)
  self.busy = self.busy - 1
  table.insert(self.idle, connection)
end

Pool.close = function(self)
  for _, connection in ipairs(self.idle) do
    connection:close()
  end
  self.idle = {}
end

return Pool
