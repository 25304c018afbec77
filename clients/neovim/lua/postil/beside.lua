-- Beside another server of notes (marksman, markdown-oxide, zk ...) Postil leaves to that one what both would do.

local server = require('postil.server')

local M = {}

-- What of Postil's settings is switched off where the other server offers a method, and which of our capabilities goes.
local SHARED = {
  { method = 'textDocument/completion', feature = 'completion', capability = 'completionProvider' },
  { method = 'textDocument/definition', feature = 'definition', capability = 'definitionProvider' },
  { method = 'textDocument/references', feature = 'references', capability = 'referencesProvider' },
  { method = 'textDocument/rename', feature = 'rename', capability = 'renameProvider' },
  { method = 'textDocument/documentSymbol', feature = 'symbols', capability = 'documentSymbolProvider' },
}

---@param client vim.lsp.Client
---@param method string
---@param buffer integer
local function supports(client, method, buffer)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:supports_method(method, buffer)
  end
  return client.supports_method(method, { bufnr = buffer })
end

---@param other vim.lsp.Client that knows what links mean
---@param buffer integer
---@return table settings to lie over Postil's own, string[] capabilities that go
local function shared(other, buffer)
  local features, gone = { diagnostics = false }, {} -- it says which links are broken
  for _, each in ipairs(SHARED) do
    if supports(other, each.method, buffer) then
      features[each.feature] = false
      table.insert(gone, each.capability)
    end
  end
  return { features = features, hover = { links = not supports(other, 'textDocument/hover', buffer) } }, gone
end

---@param client vim.lsp.Client
---@param other vim.lsp.Client
---@param buffer integer
local function yield(client, other, buffer)
  if not supports(other, 'textDocument/definition', buffer) then
    return -- it completes words or checks spelling, and is none of notes
  end
  local settings, gone = shared(other, buffer)
  local now = vim.tbl_deep_extend('force', client.settings or {}, { postil = settings })
  for _, capability in ipairs(gone) do
    client.server_capabilities[capability] = nil
  end
  if not vim.deep_equal(now, client.settings) then
    client.settings = now
    require('postil.client').notify(client, 'workspace/didChangeConfiguration', { settings = now })
  end
end

---Called for LspAttach, of whichever server.
---@param buffer integer
function M.attached(buffer)
  if vim.bo[buffer].filetype ~= 'markdown' or not require('postil.config').options.yield then
    return
  end
  local clients = vim.lsp.get_clients({ bufnr = buffer })
  for _, client in ipairs(clients) do
    for _, other in ipairs(clients) do
      if client.name == server.name and other.name ~= server.name then
        yield(client, other, buffer)
      end
    end
  end
end

return M
