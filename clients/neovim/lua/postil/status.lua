-- The state of the index, orders to what keeps it, and the log.

local client = require('postil.client')
local log = require('postil.log')
local text = require('postil.text')
local view = require('postil.view')

local M = {}

---@param number integer
---@param what string
local function count(number, what)
  return ('%d %s%s'):format(number, what, number == 1 and '' or 's')
end

---@param worker table
---@return string
local function doing(worker)
  local said = text.line(worker.state):gsub('_', ' ')
  if worker.state == 'indexing' and type(worker.total) == 'number' and worker.total > 0 then
    said = ('%s, %s %d of %d'):format(said, text.line(worker.stage), worker.done, worker.total)
  end
  return type(worker.failure) == 'string' and worker.failure ~= '' and said .. ': ' .. worker.failure or said
end

---@param folder table
---@return string[]
local function about(folder)
  local outside = folder.outside and ' (joined to every workspace)' or ''
  local lines = { text.line(vim.fs.basename(folder.name)) .. outside }
  local function add(name, value)
    table.insert(lines, ('  %-10s%s'):format(name, text.line(value)))
  end
  add('folder', vim.uri_to_fname(folder.uri))
  if not folder.indexed then
    add('index', 'none yet')
  else
    add('index', ('%s, %s'):format(count(folder.files, 'file'), count(folder.commits, 'commit')))
    for _, kind in ipairs({ 'note', 'code' }) do
      local passages = count(folder.passages[kind] or 0, 'passage')
      add(kind, ('%s, %d %% with a vector'):format(passages, folder.share_embedded[kind] * 100))
    end
    if folder.pending > 0 then
      add('waiting', count(folder.pending, 'file'))
    end
  end
  add('now', type(folder.worker) == 'table' and doing(folder.worker) or 'no worker runs')
  table.insert(lines, '')
  return lines
end

---What went to other machines, as far back as the server's log goes.
---@param sent table
---@return string[]
local function about_sent(sent)
  local lines = { 'Left this machine' }
  for _, each in ipairs(sent.endpoints) do
    local said = ('%s, %d tokens, the last %s'):format(count(each.prompts, 'prompt'), each.tokens, each.last_at)
    table.insert(lines, ('  %s  %s'):format(text.line(each.endpoint), text.line(said)))
  end
  if #sent.endpoints == 0 then
    local since = type(sent.since) == 'string' and ', since the log begins ' .. text.line(sent.since) or ''
    table.insert(lines, '  nothing' .. since)
  end
  return lines
end

---@param result table what postil/status said
function M.show(result)
  require('postil.statusline').take(result.folders)
  local lines, groups = {}, {}
  for _, folder in ipairs(result.folders) do
    groups[#lines + 1] = 'PostilTitle'
    vim.list_extend(lines, about(folder))
  end
  if #lines == 0 then
    lines = { 'No folder is open.', '' }
  end
  if type(result.sent) == 'table' then
    groups[#lines + 1] = 'PostilTitle'
    vim.list_extend(lines, about_sent(result.sent))
  end
  view.open('status', { filetype = 'postil-status', title = 'Status', enter = true }):set_lines(lines, groups)
end

---@param what 'pause'|'resume'
function M.order(what)
  client.command(what, function(result)
    local said = vim.tbl_map(function(folder)
      local state = type(folder.worker) == 'table' and doing(folder.worker) or 'no worker runs'
      return ('%s: %s'):format(vim.fs.basename(folder.name), state)
    end, result.folders)
    require('postil.statusline').take(result.folders)
    log.info(table.concat(said, '\n'))
  end)
end

---Open the server's log; Neovim's own of language servers where no server can say where its is.
function M.open_log()
  local function open(path)
    vim.cmd.tabedit({ args = { vim.fn.fnameescape(path) }, magic = { file = false } })
    vim.bo.autoread = true
    vim.bo.readonly = true
    vim.cmd('normal! G')
  end
  client.request('postil/status', vim.empty_dict(), function(result)
    open(type(result.log) == 'string' and result.log or vim.lsp.get_log_path())
  end, {
    failed = function(message)
      log.warn(message .. '; here is what Neovim wrote of its servers')
      open(vim.lsp.get_log_path())
    end,
  })
end

return M
