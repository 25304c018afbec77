-- Texts that nobody vouches for (files, commits, a model's words) made fit for a buffer, a list or a winbar.

local M = {}

-- UTF-8 of what turns the direction of text around: U+202A to U+202E and U+2066 to U+2069.
local DIRECTION = { '\226\128[\170-\174]', '\226\129[\166-\169]' }
-- U+0080 to U+009F, which some terminals obey; and the line and paragraph separators.
local OTHER = { '\194[\128-\159]', '\226\128[\168\169]' }

---Without control characters other than line ends and tabs.
---@param text any
---@return string
function M.clean(text)
  if type(text) ~= 'string' then
    return ''
  end
  text = text:gsub('\r\n?', '\n'):gsub('\27%[[0-?]*[ -/]*[@-~]', ''):gsub('[%z\1-\8\11-\31\127]', '')
  for _, pattern in ipairs(DIRECTION) do
    text = text:gsub(pattern, '')
  end
  for _, pattern in ipairs(OTHER) do
    text = text:gsub(pattern, ' ')
  end
  return text
end

---As lines of a buffer.
---@param text any
---@return string[]
function M.lines(text)
  return vim.split(M.clean(text), '\n', { plain = true })
end

---On one line, spaces folded, cut where it is longer than `most` cells.
---@param text any
---@param most? integer
---@return string
function M.line(text, most)
  local line = vim.trim((M.clean(text):gsub('%s+', ' ')))
  if most and vim.fn.strdisplaywidth(line) > most then
    line = vim.fn.strcharpart(line, 0, most - 1) .. '…'
  end
  return line
end

---As a winbar or a statusline shows it: without its items, which may run code.
---@param text any
---@return string
function M.bar(text)
  return (M.line(text, 200):gsub('%%', '%%%%'))
end

---As Markdown on one line that shows just these characters.
---@param text any
---@return string
function M.escaped(text)
  return (M.line(text):gsub('[\\`*_%[%]<>|~]', '\\%0'))
end

---@param named table<string, any>
---@return string[]
function M.sorted_keys(named)
  local keys = vim.tbl_keys(named)
  table.sort(keys)
  return keys
end

return M
