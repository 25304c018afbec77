-- Side splits that show what the server says: scratch buffers that nothing in their text can act on.

local text = require('postil.text')

local M = {}

M.namespace = vim.api.nvim_create_namespace('postil')

---@class postil.View
---@field kind string one window of a kind in a tab page
---@field buffer integer
local View = {}
View.__index = View

---@class postil.ViewOptions
---@field filetype string
---@field title string
---@field where? 'side'|'bottom'|'beside' of all windows, or beside the current one
---@field wrap? boolean whether long lines are wrapped
---@field enter? boolean whether the cursor goes there

---A scratch buffer: no file, no modeline, no undo, gone with its window.
---@param buffer integer
---@param filetype string
function M.make_scratch(buffer, filetype)
  local options = vim.bo[buffer]
  options.modeline = false -- first: what follows may read the text
  options.buftype = 'nofile'
  options.swapfile = false
  options.undolevels = -1
  options.modifiable = false
  if options.filetype ~= filetype then
    options.filetype = filetype
  end
end

---@param kind string
---@return integer?
local function window_of(kind)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.b[vim.api.nvim_win_get_buf(window)].postil_view == kind then
      return window
    end
  end
end

local BOTTOM_LINES = 12

---@param where? string
---@return integer window
local function split(where)
  if where == 'bottom' then
    vim.cmd(('botright %dsplit'):format(BOTTOM_LINES))
  elseif where == 'beside' then
    vim.cmd('rightbelow vertical split')
  else
    local columns = math.floor(vim.o.columns * require('postil.config').options.width)
    vim.cmd(('botright vertical %dsplit'):format(math.max(columns, 20)))
  end
  local window = vim.api.nvim_get_current_win()
  vim.wo[window][0].winfixwidth = where == nil
  return window
end

---Open a view, in the window that has one of its kind already where there is one.
---@param kind string
---@param options postil.ViewOptions
---@return postil.View
function M.open(kind, options)
  local from = vim.api.nvim_get_current_win()
  local window = window_of(kind)
  if window then
    vim.api.nvim_set_current_win(window)
  else
    window = split(options.where)
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.b[buffer].postil_view = kind
  vim.api.nvim_win_set_buf(window, buffer)
  vim.bo[buffer].bufhidden = 'wipe'
  M.make_scratch(buffer, options.filetype)
  local settings = vim.wo[window][0] -- of this buffer here: another one in the window has its own
  settings.number, settings.relativenumber, settings.spell, settings.list = false, false, false, false
  settings.signcolumn, settings.foldenable = 'no', false
  settings.wrap, settings.linebreak, settings.breakindent = options.wrap ~= false, true, true
  settings.conceallevel, settings.concealcursor = 2, 'nc'
  if options.filetype == 'markdown' then
    pcall(vim.treesitter.start, buffer, 'markdown') -- hides what marks up; not everywhere by itself, or there
  end
  local view = setmetatable({ kind = kind, buffer = buffer }, View)
  view:set_title(options.title)
  view:map('q', 'close', function()
    view:close()
  end)
  if not options.enter and vim.api.nvim_win_is_valid(from) then
    vim.api.nvim_set_current_win(from)
  end
  return view
end

---@return integer?
function View:window()
  return vim.fn.win_findbuf(self.buffer)[1]
end

---@return boolean
function View:is_open()
  return vim.api.nvim_buf_is_valid(self.buffer) and self:window() ~= nil
end

---@param title string shown above the view; nothing in it is evaluated
function View:set_title(title)
  local window = self:window()
  if window then
    vim.wo[window][0].winbar = ' ' .. text.bar(title) .. '%<' -- its end is cut where it is too long
  end
end

---@param lhs string|string[]
---@param what string
---@param call fun()
function View:map(lhs, what, call)
  for _, each in ipairs(type(lhs) == 'table' and lhs or { lhs }) do
    vim.keymap.set('n', each, call, { buffer = self.buffer, nowait = true, desc = 'Postil: ' .. what })
  end
end

---Called once when the view is gone.
---@param call fun()
function View:on_close(call)
  vim.api.nvim_create_autocmd('BufWipeout', { buffer = self.buffer, once = true, callback = call })
end

function View:close()
  local window = self:window()
  if window and #vim.api.nvim_list_wins() > 1 then
    vim.api.nvim_win_close(window, true)
  elseif vim.api.nvim_buf_is_valid(self.buffer) then
    vim.api.nvim_buf_delete(self.buffer, { force = true })
  end
end

---Show these lines. Only what differs is written, so that the cursor and the window stay where they are.
---@param lines string[]
---@param groups? table<integer, string> highlight groups of whole lines, by 1-based line
function View:set_lines(lines, groups)
  if not vim.api.nvim_buf_is_valid(self.buffer) then
    return
  end
  local now = vim.api.nvim_buf_get_lines(self.buffer, 0, -1, false)
  local same = 0
  while same < math.min(#lines, #now) and lines[same + 1] == now[same + 1] do
    same = same + 1
  end
  if same < #lines or same < #now then
    vim.bo[self.buffer].modifiable = true
    vim.api.nvim_buf_set_lines(self.buffer, same, -1, false, vim.list_slice(lines, same + 1))
    vim.bo[self.buffer].modifiable = false
  end
  vim.api.nvim_buf_clear_namespace(self.buffer, M.namespace, 0, -1)
  for row, group in pairs(groups or {}) do
    self:mark(row, 0, #lines[row], { hl_group = group })
  end
end

---@param row integer 1-based
---@param from integer 0-based bytes
---@param to integer
---@param how vim.api.keyset.set_extmark
function View:mark(row, from, to, how)
  local where = vim.tbl_extend('error', how, { end_col = to })
  vim.api.nvim_buf_set_extmark(self.buffer, M.namespace, row - 1, from, where)
end

---@return integer 1-based line of the cursor, 0-based column
function View:cursor()
  local window = self:window()
  if not window then
    return 1, 0
  end
  return unpack(vim.api.nvim_win_get_cursor(window))
end

return M
