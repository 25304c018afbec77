-- Related notes, in a split that follows the cursor once it rests.

local answer_text = require('postil.answer_text')
local client = require('postil.client')
local open = require('postil.open')
local text = require('postil.text')
local view = require('postil.view')

local M = {}

M.REST_MS = 250 -- of the cursor and of typing, before anything is asked
local SNIPPET_CELLS = 200

---@class postil.Following
---@field view postil.View
---@field timer uv.uv_timer_t
---@field items table<integer, table> by 1-based line
---@field cancel fun()
---@field at string what was asked about last
---@field where string the same for a person
---@field pinned boolean

local current ---@type postil.Following?

---@param item table
---@return string
local function heading(item)
  local parts = { text.line(item.title) }
  for _, part in ipairs(vim.split(item.heading or '', ' > ', { plain = true })) do
    if part ~= '' and not (#parts == 1 and part == item.title) then
      table.insert(parts, text.line(part))
    end
  end
  return table.concat(parts, ' › ')
end

---What is asked for the paragraph at a place.
---@param buffer integer
---@param line integer 1-based
---@param limit integer
---@return table
function M.params(buffer, line, limit)
  local at = { line = line - 1, character = 0 }
  return {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = at, ['end'] = at },
    limit = limit,
  }
end

---@param related table[]
local function show(related)
  local lines, items, groups = {}, {}, {}
  local function add(line, group, item)
    table.insert(lines, line)
    items[#lines], groups[#lines] = item, group
  end
  for _, item in ipairs(related) do
    add(heading(item), 'PostilTitle', item)
    add(('  %d %% · %s'):format(math.floor(item.confidence * 100 + 0.5), text.line(item.reason)), 'PostilQuiet', item)
    add('  ' .. text.line(item.snippet, SNIPPET_CELLS), nil, item)
    add('', nil, item)
  end
  if #related == 0 then
    add('Nothing is related to this paragraph.', 'PostilQuiet')
  end
  current.items = items
  current.view:set_lines(lines, groups)
end

---@param problem string
local function show_problem(problem)
  current.items = {}
  current.view:set_lines(text.lines(problem), {})
end

---Whether a buffer is one whose paragraphs can be asked about.
---@param buffer integer
local function is_asked(buffer)
  return vim.bo[buffer].buftype == '' and vim.api.nvim_buf_get_name(buffer) ~= '' and #client.running(buffer) > 0
end

local function ask()
  local shown = current
  local buffer = vim.api.nvim_get_current_buf()
  if not shown or not shown.view:is_open() or shown.pinned then
    return
  end
  if not is_asked(buffer) then
    if shown.at == '' then
      show_problem('Open a file in a folder that Postil runs for.')
    end
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local at = ('%d:%d:%d'):format(buffer, line, vim.api.nvim_buf_get_changedtick(buffer))
  if at == shown.at then
    return
  end
  shown.at = at
  shown.cancel()
  local where = answer_text.where({ uri = vim.uri_from_bufnr(buffer), range = { start = { line = line - 1 } } })
  shown.cancel = client.request('postil/related', M.params(buffer, line, 12), function(result)
    if current == shown and shown.view:is_open() then
      show(result.related)
      shown.where = where
      shown.view:set_title('Related · ' .. where)
    end
  end, {
    buffer = buffer,
    failed = function(message, cancelled)
      if not cancelled and current == shown and shown.view:is_open() then
        show_problem(message)
      end
    end,
  })
end

local function rest()
  if current then
    current.timer:start(M.REST_MS, 0, vim.schedule_wrap(ask))
  end
end

local function close()
  if current then
    current.cancel()
    current.timer:stop()
    current.timer:close()
    current = nil
  end
  pcall(vim.api.nvim_del_augroup_by_name, 'postil.related')
end

local function open_item()
  local item = current and current.items[current.view:cursor()]
  if item then
    open.place(item)
  end
end

local function pin()
  if current then
    current.pinned = not current.pinned
    current.at = ''
    current.view:set_title((current.pinned and 'Pinned · ' or 'Related · ') .. current.where)
  end
end

---Open the split; where this tab page has it, ask again for where the cursor is now.
function M.open()
  if current and vim.fn.bufwinid(current.view.buffer) ~= -1 then
    current.at, current.pinned = '', false
    ask()
    return
  end
  close()
  local shown = view.open('related', { filetype = 'postil-related', title = 'Related' })
  current = {
    view = shown,
    timer = assert(vim.uv.new_timer()),
    items = {},
    cancel = function() end,
    at = '',
    where = '',
    pinned = false,
  }
  shown:map({ '<CR>', 'gd' }, 'open the note', open_item)
  shown:map('p', 'stay with this paragraph, or follow again', pin)
  shown:on_close(function()
    if current and current.view == shown then
      close()
    end
  end)
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'BufEnter', 'LspAttach' }, {
    group = vim.api.nvim_create_augroup('postil.related', {}),
    callback = rest,
  })
  ask()
end

---Related notes as a list to choose from.
---@param asked? table `{textDocument, range?}`; nil for the paragraph at the cursor
function M.pick(asked)
  local limit = require('postil.config').options.limit
  local params = asked and vim.tbl_extend('force', asked, { limit = limit })
    or M.params(vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1], limit)
  client.request('postil/related', params, function(result)
    require('postil.pick').choose(result.related, {
      title = 'Related notes',
      format = function(item)
        return ('%s — %s'):format(heading(item), text.line(item.reason))
      end,
    })
  end)
end

return M
