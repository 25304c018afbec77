-- What Neovim does not know of Markdown by itself: where code is, and that a backslash before a mark is not shown.

local M = {}

---A line with its inline code blanked out.
---@param line string
---@return string
local function without_code(line)
  local parts, at = {}, 1
  while at <= #line do
    local ticks = line:match('^`+', at)
    local last = ticks and select(2, line:find('[^`]' .. ticks .. '%f[^`]', at + #ticks))
    if last then
      table.insert(parts, (' '):rep(last - at + 1))
      at = last + 1
    else
      local part = line:match('^\\%p', at) or ticks or line:sub(at, at)
      table.insert(parts, part)
      at = at + #part
    end
  end
  return table.concat(parts)
end

---The lines that stand outside of fences, their inline code blanked out; columns stay what they are.
---@param lines string[]
---@return table<integer, string> by 1-based line
function M.prose(lines)
  local found, fence = {}, nil
  for row, line in ipairs(lines) do
    local ticks = line:match('^ ? ? ?(```+)') or line:match('^ ? ? ?(~~~+)')
    if fence then
      fence = not (ticks and vim.startswith(ticks, fence)) and fence or nil
    elseif ticks then
      fence = ticks
    else
      found[row] = without_code(line)
    end
  end
  return found
end

---Hide the backslashes that only say that what follows is no mark.
---@param buffer integer
---@param namespace integer
function M.hide_escapes(buffer, namespace)
  for row, line in pairs(M.prose(vim.api.nvim_buf_get_lines(buffer, 0, -1, false))) do
    for at in line:gmatch('()\\%p') do
      vim.api.nvim_buf_set_extmark(buffer, namespace, row - 1, at - 1, { end_col = at, conceal = '' })
    end
  end
end

return M
