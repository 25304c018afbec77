-- `postil:` documents (a commit, a file as it was, an answer) as buffers that only show.

local text = require('postil.text')
local view = require('postil.view')

local M = {}

local WAIT_MS = 10000

---@param uri string
---@return string
local function filetype_of(uri)
  local path = vim.uri_decode(uri:match('^postil:([^?#]*)') or '')
  return vim.filetype.match({ filename = path }) or ''
end

---@param buffer integer
---@param lines string[]
---@param filetype string
local function fill(buffer, lines, filetype)
  vim.bo[buffer].readonly = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  view.make_scratch(buffer, filetype)
  vim.bo[buffer].modified = false
  vim.bo[buffer].readonly = true
end

---The text of a document, from the first server that has it; else what the last one says.
---@param uri string
---@return string[] lines, boolean found
local function ask(uri)
  local client = require('postil.client')
  local lines, found = { 'no server of Postil runs that could have this document' }, false
  for _, each in ipairs(client.running()) do
    local answered = false
    local function take(text_or_problem, is_text)
      lines, found, answered = text.lines((text_or_problem:gsub('\n$', ''))), is_text, true
    end
    client.request('postil/content', { uri = uri }, function(result)
      take(result.text, true)
    end, {
      client = each,
      failed = function(message)
        take(message, false)
      end,
    })
    vim.wait(WAIT_MS, function()
      return answered
    end, 5)
    if found then
      break
    end
  end
  return lines, found
end

---Called for BufReadCmd: the text is there when this returns, so that a jump to its line finds it.
---@param buffer integer
---@param uri string
function M.read(buffer, uri)
  vim.bo[buffer].modeline = false -- Neovim reads modelines once this autocommand is over
  local lines, found = ask(uri)
  fill(buffer, lines, found and filetype_of(uri) or '')
end

return M
