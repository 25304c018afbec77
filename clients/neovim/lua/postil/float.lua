-- Keys in the hover float: Enter or gd opens what a link of ours leads to.

local markdown = require('postil.markdown')

local M = {}

---The links of a float's text that lead to a file or a document of ours, outside of quoted text.
---@param lines string[]
---@return table<integer, { from: integer, to: integer, uri: string }[]> by 1-based line, columns 0-based
function M.links(lines)
  local found = {}
  for row, line in pairs(markdown.prose(lines)) do
    for from, uri, to in line:gmatch('()%[.-[^\\]%]%((%l+:[^%s)]+)%)()') do
      if vim.startswith(uri, 'file:') or vim.startswith(uri, 'postil:') then
        found[row] = found[row] or {}
        table.insert(found[row], { from = from - 1, to = to - 1, uri = uri })
      end
    end
  end
  return found
end

---@param links table[]
---@param column integer
---@return string? uri
local function at(links, column)
  local best
  for _, link in ipairs(links or {}) do
    if not best or link.from <= column then
      best = link.uri
    end
  end
  return best
end

---@param buffer integer
local function open_link(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local links = M.links(vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
  local uri = at(links[row], column) or at(links[row - 1], column)
  if uri then
    local float = vim.api.nvim_get_current_win()
    vim.cmd.wincmd('p')
    if vim.api.nvim_win_is_valid(float) then
      vim.api.nvim_win_close(float, true)
    end
    require('postil.open').place({ uri = uri })
  end
end

---Whether a window is a hover over a document that a server of ours knows.
---@param window integer
local function is_ours(window)
  local of = vim.api.nvim_win_is_valid(window) and vim.w[window]['textDocument/hover']
  return of and vim.api.nvim_win_get_config(window).relative ~= '' and #require('postil.client').running(of) > 0
end

---Called when a window was made; what it is can only be told a moment later.
---@param window integer
function M.made(window)
  vim.schedule(function()
    if is_ours(window) then
      markdown.hide_escapes(vim.api.nvim_win_get_buf(window), require('postil.view').namespace)
    end
  end)
end

---Called when a window is entered: where it is a hover, its keys are set.
function M.entered()
  local window, buffer = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  if not is_ours(window) then
    return
  end
  for _, lhs in ipairs({ '<CR>', 'gd' }) do
    vim.keymap.set('n', lhs, function()
      open_link(buffer)
    end, { buffer = buffer, nowait = true, desc = 'Postil: open the link' })
  end
end

return M
