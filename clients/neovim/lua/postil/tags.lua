-- Tags and a summary for a note: proposed by the server as an edit of its front matter, made when the user wants it.

local client = require('postil.client')
local log = require('postil.log')
local text = require('postil.text')

local M = {}

---@param found { tags: string[], summary: string }
---@return string
local function label(found)
  local tags = vim.tbl_map(function(tag)
    return '#' .. text.line(tag)
  end, found.tags)
  local said = table.concat(tags, ' ')
  return text.line(found.summary ~= '' and said .. ' · ' .. found.summary or said, vim.o.columns - 10)
end

---@param buffer integer
function M.suggest(buffer)
  local version = vim.api.nvim_buf_get_changedtick(buffer)
  client.request('postil/tags', { textDocument = { uri = vim.uri_from_bufnr(buffer) } }, function(found, asked)
    if type(found.edit) ~= 'table' then
      log.info('there is nothing to add: no other note suggests a tag')
      return
    end
    vim.ui.select({ 'Add ' .. label(found), 'Leave the note as it is' }, { prompt = 'Tags' }, function(_, number)
      if number ~= 1 then
        return
      end
      if version ~= vim.api.nvim_buf_get_changedtick(buffer) then
        log.warn('the note has changed meanwhile; ask again')
        return
      end
      vim.lsp.util.apply_workspace_edit(found.edit, asked.offset_encoding)
    end)
  end, { buffer = buffer })
end

return M
