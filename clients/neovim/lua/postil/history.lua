-- Commits that answer a question: a list in a split, and the change of the one at the cursor beneath it.

local client = require('postil.client')
local config = require('postil.config')
local hunks = require('postil.hunks')
local open = require('postil.open')
local text = require('postil.text')
local view = require('postil.view')

local M = {}

---@param at integer Unix seconds
---@return string
local function day(at)
  return os.date('!%Y-%m-%d', at) --[[@as string]]
end

---@param commit table
---@return string
local function line_of(commit)
  local subject, author = text.line(commit.subject), text.line(commit.author)
  -- one that HEAD does not reach has the name of a branch that does
  local branch = (commit.branch or '') ~= '' and (' [%s]'):format(text.line(commit.branch)) or ''
  return ('%s %s %s (%s)%s'):format(day(commit.committed_at), commit.sha:sub(1, 10), subject, author, branch)
end

---@param filters table as the server shows them: a name, with "-" where it is negated, and one value or several
---@return string
local function shown_filters(filters)
  local found = {}
  for name, value in vim.spairs(filters) do
    if type(value) == 'string' or vim.islist(value) then
      table.insert(found, ('%s:%s'):format(name, type(value) == 'string' and value or table.concat(value, ',')))
    end
  end
  return text.line(table.concat(found, '  '))
end

---Where a line of a commit's diff stands in the file as it is after the commit.
---@param lines string[]
---@param row integer 1-based
---@return string? path, integer line 1-based
function M.place_in(lines, row)
  local line ---@type integer?
  for at = row, 1, -1 do
    local start = lines[at]:match('^@@ %-%d+,?%d* %+(%d+)')
    if start and not line then
      local below = 0
      for between = at + 1, row - 1 do
        below = below + (lines[between]:sub(1, 1) == '-' and 0 or 1)
      end
      line = tonumber(start) + below
    end
    local path = lines[at]:match('^diff %-%-git a/.* b/(.*)$')
    if path then
      return path, line or 1
    end
  end
  return nil, 1
end

---@param commit table
---@param path string as the diff names it
---@return string? uri
local function uri_of(commit, path)
  for _, uri in ipairs(commit.files) do
    local name = vim.uri_to_fname(uri)
    if name:sub(-#path - 1) == '/' .. path then
      return uri
    end
  end
end

---@param commit table
---@param asked vim.lsp.Client who named it
local function show_diff(commit, asked)
  local title = ('%s · %s'):format(commit.sha:sub(1, 10), text.line(commit.subject))
  client.request('postil/content', { uri = commit.document }, function(result)
    local shown = view.open('diff', { filetype = 'diff', title = title, where = 'beside', wrap = false, enter = true })
    local lines = text.lines((result.text:gsub('\n$', '')))
    shown:set_lines(lines)
    shown:map({ '<CR>', 'gd' }, 'open the file', function()
      local path, line = M.place_in(lines, (shown:cursor()))
      local uri = path and uri_of(commit, path)
      if uri then
        open.place({ uri = uri, range = { start = { line = line - 1 } } })
      end
    end)
    hunks.map(shown, function()
      return hunks.under(commit.hunks, lines, (shown:cursor()))
    end)
  end, { client = asked })
end

---@param title string
---@param result table
---@param asked vim.lsp.Client
local function show(title, result, asked)
  local shown = view.open('history', {
    filetype = 'postil-history',
    title = 'History · ' .. title,
    where = 'bottom',
    wrap = false,
    enter = true,
  })
  local filters = shown_filters(result.filters)
  local lines, groups = { filters ~= '' and filters or 'no filters' }, { 'PostilQuiet' }
  for _, note in ipairs(result.notes or {}) do
    table.insert(lines, text.line(note))
    groups[#lines] = 'PostilQuiet'
  end
  table.insert(lines, '')
  local head = #lines
  for _, commit in ipairs(result.commits) do
    table.insert(lines, line_of(commit))
  end
  if #result.commits == 0 then
    table.insert(lines, 'No commit answers this.')
  end
  shown:set_lines(lines, groups)
  for row = head + 1, head + #result.commits do
    shown:mark(row, 0, 10, { hl_group = 'PostilQuiet' })
    shown:mark(row, 11, 21, { hl_group = 'PostilSource' })
  end
  local window = shown:window()
  if window and #result.commits > 0 then
    vim.wo[window].cursorline = true
    vim.api.nvim_win_set_cursor(window, { head + 1, 0 })
  end
  shown:map({ '<CR>', 'gd' }, 'show the change', function()
    local commit = result.commits[shown:cursor() - head]
    if commit then
      show_diff(commit, asked)
    end
  end)
  hunks.map(shown, function()
    local commit = result.commits[shown:cursor() - head]
    return commit and commit.hunks or {}
  end)
end

---@param params table of postil/history
---@param title string
---@param bang? boolean whether the changes go to the quickfix list
function M.ask(params, title, bang)
  params.limit = config.options.limit
  client.request('postil/history', params, function(result, asked)
    if not bang then
      show(title, result, asked)
      return
    end
    local places = {}
    for _, commit in ipairs(result.commits) do
      for _, hunk in ipairs(commit.hunks) do
        table.insert(places, vim.tbl_extend('force', hunk, hunk.now or {}, { name = line_of(commit) }))
      end
    end
    require('postil.pick').quickfix(places, { title = 'history ' .. title })
  end)
end

---Of a file, or of lines of it.
---@param params { textDocument: lsp.TextDocumentIdentifier, range?: lsp.Range }
---@param bang? boolean
function M.of_document(params, bang)
  M.ask(params, require('postil.answer_text').name(params.textDocument.uri, params.range), bang)
end

return M
