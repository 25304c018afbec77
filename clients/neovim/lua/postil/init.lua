-- Postil in Neovim: `require('postil').setup{}` is optional; `vim.lsp.enable('postil')` does as well on 0.11.

local M = {}

---@param options? postil.Options
function M.setup(options)
  local config = require('postil.config')
  for _, problem in ipairs(config.set(options)) do
    require('postil.log').warn(problem)
  end
  if config.options.autostart then
    require('postil.server').enable()
  end
end

---For a statusline: what Postil does for the current buffer.
---@return string
function M.statusline()
  return require('postil.statusline').get()
end

return M
