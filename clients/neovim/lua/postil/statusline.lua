-- What Postil does, for a statusline: kept from the server's progress, so that drawing the line asks nobody.

local M = {}

---@type table<integer, string> what is being done, by client
local running = {}
local paused = false

---@param event { client: integer, value: table }
function M.progress(event)
  if event.value.kind == 'end' then
    running[event.client] = nil
  else
    local share = event.value.percentage
    running[event.client] = share and ('indexing %d/100'):format(share) or 'indexing'
  end
  vim.cmd.redrawstatus()
end

---Take note of what the server said of its folders.
---@param folders table[]
function M.take(folders)
  paused = false
  for _, folder in ipairs(folders) do
    paused = paused or type(folder.worker) == 'table' and folder.worker.state == 'paused'
  end
  vim.cmd.redrawstatus()
end

---Empty where no server runs for the current buffer. It holds no text of any file, and no percent sign, which a
---statusline could take for one of its items.
---@return string
function M.get()
  local client = vim.lsp.get_clients({ name = 'postil', bufnr = vim.api.nvim_get_current_buf() })[1]
  if not client then
    return ''
  end
  if paused then
    return 'postil: paused'
  end
  local indexing = running[client.id]
  return indexing and 'postil: ' .. indexing or 'postil'
end

return M
