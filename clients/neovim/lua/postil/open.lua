-- Going to a place that the server named: a line of a file, or a commit.

local log = require('postil.log')

local M = {}

---@class postil.Place
---@field uri? string
---@field range? lsp.Range
---@field sha? string of a commit, which has a document of its own
---@field document? string its URI
---@field root? string

---A window of the current tab page that shows a file, not one of our views: the last one the user was in, or a new one.
---@return integer
function M.window()
  local function is_free(window)
    return vim.api.nvim_win_is_valid(window)
      and vim.api.nvim_win_get_config(window).relative == ''
      and not vim.b[vim.api.nvim_win_get_buf(window)].postil_view
      and not vim.wo[window].winfixbuf
  end
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local here = vim.api.nvim_get_current_win()
  for _, window in ipairs({ here, previous, unpack(vim.api.nvim_tabpage_list_wins(0)) }) do
    if window ~= 0 and is_free(window) then
      return window
    end
  end
  vim.cmd('topleft vertical new')
  return vim.api.nvim_get_current_win()
end

---The buffer of a URI. Only files and our own documents are opened.
---@param uri string
---@return integer? buffer
function M.buffer(uri)
  local name = uri:gsub('#[^#]*$', ''):gsub('^postil:/*', 'postil:///') -- Neovim takes what has no `//` for a path
  if vim.startswith(uri, 'file:') then
    local ok, path = pcall(vim.uri_to_fname, name)
    if not ok or not (path:match('^/') or path:match('^%a:[/\\]')) then
      return nil
    end
    name = path
  elseif not vim.startswith(name, 'postil:') then
    return nil
  end
  local buffer = vim.fn.bufadd(name) -- expands nothing and runs nothing, whatever the name is
  vim.bo[buffer].buflisted = true
  return buffer
end

---@param place postil.Place
---@param window? integer
---@return boolean
function M.place(place, window)
  local uri = place.document or place.uri
  local buffer = uri and M.buffer(uri)
  if not uri or not buffer then
    log.warn('there is nothing to open')
    return false
  end
  window = window or M.window()
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_buf(window, buffer)
  local line = place.range and place.range.start.line + 1 or tonumber(uri:match('#L(%d+)'))
  if line and uri == place.uri then
    vim.api.nvim_win_set_cursor(window, { math.max(1, math.min(line, vim.api.nvim_buf_line_count(buffer))), 0 })
    vim.cmd('normal! zvzz')
  end
  return true
end

return M
