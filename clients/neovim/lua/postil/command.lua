-- :Postil and its subcommands.

local client = require('postil.client')
local config = require('postil.config')
local log = require('postil.log')
local text = require('postil.text')

local M = {}

---@class postil.Given what was typed
---@field words string the arguments as one text
---@field range? { [1]: integer, [2]: integer } lines, 1-based and inclusive
---@field bang boolean
---@field buffer integer

---@param given postil.Given
---@return table
local function document(given)
  local name = vim.api.nvim_buf_get_name(given.buffer)
  if name == '' or vim.bo[given.buffer].buftype ~= '' then
    return {}
  end
  return { textDocument = { uri = vim.uri_from_bufnr(given.buffer) } }
end

---@param given postil.Given
---@return table
local function document_and_range(given)
  local params = document(given)
  if given.range and params.textDocument then
    params.range = {
      start = { line = given.range[1] - 1, character = 0 },
      ['end'] = { line = given.range[2], character = 0 },
    }
  end
  return params
end

---Call with the words that were typed, or with what the user answers when asked for them.
---@param given postil.Given
---@param prompt string
---@param call fun(words: string)
local function with_words(given, prompt, call)
  if given.words ~= '' then
    call(given.words)
    return
  end
  vim.ui.input({ prompt = prompt }, function(answer)
    if answer and vim.trim(answer) ~= '' then
      call(vim.trim(answer))
    end
  end)
end

---@type table<string, fun(given: postil.Given)>
local run = {}

function run.ask(given)
  local answer = require('postil.answer')
  local last = given.bang and answer.last() or nil
  local previous = last and { question = last.title, text = last.text }
  with_words(given, 'Ask Postil: ', function(question)
    local params = vim.tbl_extend('force', document_and_range(given), { question = question, previous = previous })
    answer.ask('postil/ask', params, question)
  end)
end

function run.summarise(given)
  local since = given.words:match('^since%s+(.+)$')
  local params = document_and_range(given)
  if since then
    params = { since = since }
  elseif given.words ~= '' then
    local path = vim.fn.fnamemodify(given.words, ':p')
    params = { textDocument = { uri = vim.uri_from_fname(path) } }
  end
  if not since and not params.textDocument then
    log.warn('open the file that is to be summarised, or name one')
    return
  end
  local name = since and 'changes since ' .. since
    or require('postil.answer_text').name(params.textDocument.uri, params.range)
  require('postil.answer').ask('postil/summarise', params, 'Summary of ' .. name)
end

function run.related(given)
  if given.bang then
    require('postil.related').pick()
  else
    require('postil.related').open()
  end
end

function run.search(given)
  with_words(given, 'Search: ', function(query)
    client.request('postil/search', { query = query, limit = config.options.limit }, function(result)
      local pick = require('postil.pick')
      local show = given.bang and pick.quickfix or pick.choose
      show(result.hits, { title = query })
    end)
  end)
end

function run.history(given)
  local history = require('postil.history')
  local here = document_and_range(given)
  if given.words == '' and here.textDocument then
    history.of_document(here, given.bang)
    return
  end
  with_words(given, 'History: ', function(query)
    history.ask({ query = query }, query, given.bang)
  end)
end

function run.past(given)
  require('postil.answer').past(given.words)
end

function run.tags(given)
  require('postil.tags').suggest(given.buffer)
end

function run.status()
  client.request('postil/status', vim.empty_dict(), function(result)
    require('postil.status').show(result)
  end)
end

function run.why(given)
  local path = given.words ~= '' and vim.fn.fnamemodify(given.words, ':p') or vim.api.nvim_buf_get_name(given.buffer)
  if path == '' then
    log.warn('name the file')
    return
  end
  client.request('postil/why', { textDocument = { uri = vim.uri_from_fname(path) } }, function(result)
    log.info(result.sentence)
  end)
end

function run.pause()
  require('postil.status').order('pause')
end

function run.resume()
  require('postil.status').order('resume')
end

function run.log()
  require('postil.status').open_log()
end

---@return string[]
function M.names()
  return text.sorted_keys(run)
end

---@param event vim.api.keyset.create_user_command.command_args
function M.run(event)
  local name = event.fargs[1]
  local given = {
    words = name and vim.trim(event.args:sub(#name + 1)) or '',
    range = event.range > 0 and { event.line1, event.line2 } or nil,
    bang = event.bang,
    buffer = vim.api.nvim_get_current_buf(),
  }
  if not name then
    vim.ui.select(M.names(), { prompt = 'Postil' }, function(chosen)
      if chosen then
        run[chosen](given)
      end
    end)
  elseif run[name] then
    run[name](given)
  else
    log.error(("'%s' is no subcommand; there are %s"):format(name, table.concat(M.names(), ', ')))
  end
end

local FILTERS =
  vim.split('after: author: before: change: committer: file: issue: kind: merge: message: release: sha: symbol:', ' ')

local COMPLETIONS = {
  summarise = function(typed)
    return vim.list_extend(vim.startswith('since', typed) and { 'since' } or {}, vim.fn.getcompletion(typed, 'file'))
  end,
  why = function(typed)
    return vim.fn.getcompletion(typed, 'file')
  end,
  history = function(typed)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, typed)
    end, FILTERS)
  end,
}

---The command may stand there abbreviated, after a range and modifiers, and with a bang that no space follows.
---@param typed string the word at the cursor
---@param line string
---@param position integer bytes of the line before the cursor
---@return string[]
function M.complete(typed, line, position)
  local name = line:sub(1, position):match('%f[%a]P[ostil]*%f[^%a]!?%s*([^%s!]%S*)%s')
  if name then
    return COMPLETIONS[name] and COMPLETIONS[name](typed) or {}
  end
  return vim.tbl_filter(function(each)
    return vim.startswith(each, typed)
  end, M.names())
end

return M
