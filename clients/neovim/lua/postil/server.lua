-- Where the server is, for which folder it runs, and how it is started: by vim.lsp.enable or by setup().

local config = require('postil.config')

local M = {}

M.name = 'postil'
local STARTLESS = 'the server could not be started; see :checkhealth postil'
local INSTALL = "install it with 'pipx install .' in Postil's repository, or set cmd in require('postil').setup"

---@param path string
---@param folder string
local function is_inside(path, folder)
  local inner, outer = vim.uv.fs_realpath(path) or path, vim.uv.fs_realpath(folder) or folder
  return inner == outer or vim.startswith(inner, outer:gsub('[/\\]+$', '') .. '/')
end

---@param program string
---@param root? string
---@return string?
local function on_path(program, root)
  local windows = vim.fn.has('win32') == 1
  for _, folder in ipairs(vim.split(vim.env.PATH or '', windows and ';' or ':', { trimempty = true })) do
    local path = vim.fs.normalize(folder) .. '/' .. program .. (windows and '.exe' or '')
    local absolute = folder:match('^/') or folder:match('^%a:[/\\]')
    -- what lies in a workspace was written by whoever wrote the workspace
    if absolute and not (root and is_inside(folder, root)) and vim.fn.executable(path) == 1 then
      return path
    end
  end
end

---The command that starts the server; nil with the reason where there is none.
---@param root? string the folder that it is for: no program in there is taken from PATH
---@return string[]?, string?
function M.command(root)
  local given = config.options.cmd
  local words = type(given) == 'string' and { given } or given
  if type(words) == 'table' and #words > 0 then
    local program = vim.fn.exepath(vim.fs.normalize(words[1]))
    if program == '' then
      return nil, ("the server '%s' can't be run; %s"):format(words[1], INSTALL)
    end
    local arguments = #words > 1 and vim.list_slice(words, 2) or { 'serve', '--stdio' }
    return vim.list_extend({ program }, arguments)
  end
  local found = on_path('postil', root)
  if not found then
    return nil, "the program 'postil' was not found on PATH; " .. INSTALL
  end
  return { found, 'serve', '--stdio' }
end

---The top of the folder of notes or code that a buffer's file, or the current folder, lies in.
---@param buffer? integer nil for the current folder
---@return string? nil as well for a buffer that is no file
function M.root(buffer)
  local from = buffer and vim.api.nvim_buf_get_name(buffer) or vim.fn.getcwd()
  if from == '' or from:match('^%a[%w+.-]+:/') and not from:match('^%a:/') then
    return nil
  end
  return vim.fs.root(from, config.options.root_markers)
end

local told = {} ---@type table<string, true>

---@param message string
local function tell_once(message)
  if not told[message] then
    told[message] = true
    require('postil.log').warn(message)
  end
end

---What starts the process, for vim.lsp.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param given? vim.lsp.ClientConfig
function M.spawn(dispatchers, given)
  local command, problem = M.command(given and given.root_dir or nil)
  if not command then
    error(problem, 0)
  end
  return vim.lsp.rpc.start(command, dispatchers)
end

---Why no server can be started; nil where one can.
---@param configured any what `cmd` has come to be
---@param root string
---@return string?
local function problem_with(configured, root)
  if configured ~= M.spawn then
    return nil -- the user wrote a command into vim.lsp.config, which says itself what is wrong with it
  end
  local command, problem = M.command(root)
  return not command and problem or nil
end

---For vim.lsp.config on 0.11: nothing is started outside of folders, and where there is no program.
---@param buffer integer
---@param on_dir fun(root: string)
local function root_dir(buffer, on_dir)
  local root = M.root(buffer)
  local problem = root and problem_with(vim.lsp.config[M.name].cmd, root)
  if problem then
    tell_once(problem)
  elseif root then
    on_dir(root)
  end
end

---What only a client's own program can say: the user's settings, and what lenses and actions can leave to us.
local function init_options()
  return { userSettings = config.options.settings, clientCommands = require('postil.own_commands').offered() }
end

---@return vim.lsp.Config
function M.config()
  return {
    cmd = M.spawn,
    root_dir = root_dir,
    init_options = init_options(),
    settings = {},
    on_exit = function(_, _, id)
      vim.schedule(function()
        require('postil.client').ended(id)
      end)
    end,
  }
end

---Start the server for a folder, or take the one that runs, with a buffer attached to it.
---@param root string
---@param buffer? integer
---@return integer? client_id, string? problem
function M.start(root, buffer)
  local known = vim.lsp.config and vim.lsp.config[M.name] or M.config()
  local problem = problem_with(known.cmd, root)
  if problem then
    return nil, problem
  end
  local wanted = vim.tbl_extend('force', known, { name = M.name, root_dir = root })
  local id
  if vim.fn.has('nvim-0.11') == 1 then
    id = vim.lsp.start(wanted, { bufnr = buffer, attach = buffer ~= nil })
  else
    wanted.cmd = wanted.cmd == M.spawn and M.command(root) or wanted.cmd
    id = vim.lsp.start(wanted, { bufnr = buffer })
  end
  return id, not id and STARTLESS or nil
end

---Have the server started for all files from now on.
function M.enable()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.config(M.name, { init_options = init_options() })
    vim.lsp.enable(M.name)
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('postil.start', {}),
    callback = function(event)
      local root = vim.bo[event.buf].buftype == '' and M.root(event.buf)
      local problem = root and select(2, M.start(root, event.buf))
      if problem then
        tell_once(problem)
      end
    end,
  })
end

return M
