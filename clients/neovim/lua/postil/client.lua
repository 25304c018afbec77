-- Questions to the server that runs for the current buffer or folder.

local log = require('postil.log')
local server = require('postil.server')

local M = {}

local CANCELLED = { [-32800] = true, [-32802] = true } -- by us, and by the server

---@param buffer? integer
---@return vim.lsp.Client[]
function M.running(buffer)
  return vim.lsp.get_clients({ name = server.name, bufnr = buffer })
end

---@param client vim.lsp.Client
---@return string[] paths of its folders
local function folders(client)
  return vim.tbl_map(function(folder)
    return vim.uri_to_fname(folder.uri)
  end, client.workspace_folders or {})
end

---The server of a buffer; else that of the current folder, started where none runs; else any.
---@param buffer? integer
---@return vim.lsp.Client?, string? problem
function M.get(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local attached = M.running(buffer)[1]
  if attached then
    return attached
  end
  local root = server.root(buffer) or server.root()
  local all = M.running()
  for _, client in ipairs(all) do
    if root and vim.tbl_contains(folders(client), root) then
      return client
    end
  end
  if not root then
    return all[1], 'no folder of notes or code is open: none of root_markers was found above ' .. vim.fn.getcwd()
  end
  local id, problem = server.start(root, server.root(buffer) and buffer or nil)
  return id and vim.lsp.get_client_by_id(id) or nil, problem
end

---@param message any
---@return string without the number of the request, which is for the log
function M.words(message)
  return (tostring(message):gsub(' %(request [%d-]+%)$', ''))
end

---A method of the client, which was a plain function before 0.11.
---@param client vim.lsp.Client
---@param name string
local function call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

---What is to be told of requests that wait for their answers, by client.
---@type table<integer, table<fun(message: string, cancelled: boolean), true>>
local waiting = {}

---Called when a client has ended: what it was asked gets no answer any more.
---@param id integer
function M.ended(id)
  local fails = waiting[id] or {}
  waiting[id] = nil
  for fail in pairs(fails) do
    fail('the server has ended; see :checkhealth postil', false)
  end
end

---@class postil.Asking
---@field buffer? integer whose server is asked
---@field client? vim.lsp.Client that is asked
---@field failed? fun(message: string, cancelled: boolean) told in place of the user

---Ask the server. The call that is returned takes the question back.
---@param method string
---@param params table
---@param answered fun(result: any, client: vim.lsp.Client)
---@param asking? postil.Asking
---@return fun() cancel
function M.request(method, params, answered, asking)
  asking = asking or {}
  local failed = asking.failed
    or function(message, cancelled)
      if not cancelled then
        log.error(message)
      end
    end
  local client, problem = asking.client, nil
  if not client then
    client, problem = M.get(asking.buffer)
  end
  if not client then
    failed(problem or 'no server runs', false)
    return function() end
  end
  local number ---@type integer?
  local is_over = false

  waiting[client.id] = waiting[client.id] or {}

  local function fail(message, cancelled)
    if not is_over then
      is_over = true
      failed(message, cancelled)
    end
  end
  waiting[client.id][fail] = true

  local function on_answer(err, result)
    (waiting[client.id] or {})[fail] = nil
    if err then
      fail(M.words(err.message), CANCELLED[err.code] or false)
    elseif not is_over then
      is_over = true
      answered(result, client)
    end
  end

  M.when_ready(client, function()
    if is_over then
      return
    end
    local sent, id = call(client, 'request', method, params, on_answer)
    number = id
    if not sent then
      fail('the server has ended; see :checkhealth postil', false)
    end
  end, fail)
  return function()
    (waiting[client.id] or {})[fail] = nil
    if number and not is_over then
      call(client, 'cancel_request', number)
    end
    fail('stopped', true) -- Neovim passes on no answer that says so
  end
end

local READY_MS, LOOK_MS = 20000, 20

---@param client vim.lsp.Client
---@param ready fun()
---@param failed fun(message: string, cancelled: boolean)
function M.when_ready(client, ready, failed)
  local waited = 0
  local function look()
    if client.initialized then
      ready()
    elseif waited >= READY_MS or not vim.lsp.get_client_by_id(client.id) then
      failed('the server did not start; see :checkhealth postil', false)
    else
      waited = waited + LOOK_MS
      vim.defer_fn(look, LOOK_MS)
    end
  end
  look()
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  call(client, 'notify', method, params)
end

---A command of the server.
---@param name string
---@param answered fun(result: any)
function M.command(name, answered)
  M.request('workspace/executeCommand', { command = 'postil.server.' .. name, arguments = {} }, answered)
end

return M
