-- What the server's lenses and code actions leave to this client. Each gets `{textDocument, range?}`.

local M = {}

---@type table<string, fun(given: table)>
local run = {}

run['postil.ask'] = function(given)
  vim.ui.input({ prompt = 'Ask Postil: ' }, function(question)
    if question and vim.trim(question) ~= '' then
      local params = vim.tbl_extend('force', given, { question = vim.trim(question) })
      require('postil.answer').ask('postil/ask', params, params.question)
    end
  end)
end

run['postil.summarise'] = function(given)
  local name = require('postil.answer_text').name(given.textDocument.uri, given.range)
  require('postil.answer').ask('postil/summarise', given, 'Summary of ' .. name)
end

run['postil.related'] = function(given)
  require('postil.related').pick(given)
end

run['postil.history'] = function(given)
  require('postil.history').of_document(given)
end

---What the server is told that there is.
---@return string[]
function M.offered()
  return require('postil.text').sorted_keys(run)
end

function M.register()
  for name, call in pairs(run) do
    vim.lsp.commands[name] = function(command)
      call(command.arguments[1])
    end
  end
end

return M
