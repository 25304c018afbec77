-- What the user is told.

local M = {}

---@param message string
---@param level? integer
local function tell(message, level)
  local text = require('postil.text')
  vim.notify('Postil: ' .. text.clean(message), level or vim.log.levels.INFO, { title = 'Postil' })
end

---@param message string
function M.info(message)
  tell(message)
end

---@param message string
function M.warn(message)
  tell(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  tell(message, vim.log.levels.ERROR)
end

return M
