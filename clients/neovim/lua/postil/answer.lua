-- Answers of ask and summarise: streamed into a side split, their sources first, each citation a way to its place.

local client = require('postil.client')
local log = require('postil.log')
local open = require('postil.open')
local render = require('postil.answer_text')
local text = require('postil.text')
local view = require('postil.view')

local M = {}

local REDRAW_MS = 40 -- models give tens of tokens a second; a redraw for each would be noticed
local MOST_PAST = 100

---@class postil.Turn an answer as it grows
---@field title string
---@field phase 'running'|'done'|'stopped'|'failed'
---@field text string
---@field sources table[]
---@field nearest table[]
---@field status string what is being done, or why it failed
---@field model? string
---@field id? string of a complete answer

---@class postil.ShownAnswer
---@field stream string
---@field turn postil.Turn
---@field view postil.View
---@field cancel fun()
---@field targets table<integer, postil.Target[]>
---@field due boolean whether a redraw is on its way

local number = 0
local current ---@type postil.ShownAnswer?

local function draw()
  local shown = current
  if not shown or not shown.view:is_open() then
    return
  end
  shown.due = false
  local drawn = render.lines(shown.turn)
  shown.targets = drawn.targets
  render.show(shown.view, drawn)
  shown.view:set_title(render.title(shown.turn))
end

local function draw_soon()
  if current and not current.due then
    current.due = true
    vim.defer_fn(draw, REDRAW_MS)
  end
end

---What is told of sentences is not needed: their marks stand in the text.
---@type table<string, fun(turn: postil.Turn, event: table)>
local GROWS = {
  sources = function(turn, event)
    turn.sources = event.citations
  end,
  text = function(turn, event)
    turn.text, turn.status = turn.text .. event.text, ''
  end,
  status = function(turn, event)
    turn.status = event.status
  end,
  replace = function(turn, event)
    turn.text = event.text
  end,
}

---postil/answer
local function heard(_, event)
  local shown = current
  if not shown or type(event) ~= 'table' or event.stream ~= shown.stream or shown.turn.phase ~= 'running' then
    return
  end
  local grow = GROWS[event.kind]
  if grow then
    grow(shown.turn, event)
    draw_soon()
  end
end

---Stop the answer that is being written; what there is of it stays.
function M.stop()
  if current and current.turn.phase == 'running' then
    current.cancel()
  end
end

---The source at the cursor of the view, or the one that is cited next on its line.
---@param row integer 1-based
---@param column integer 0-based
---@return table?
local function target_at(row, column)
  local best
  for _, target in ipairs(current and current.targets[row] or {}) do
    if not best or (target.from <= column) then
      best = target
    end
  end
  return best and best.place
end

local function open_source()
  local place = current and target_at(current.view:cursor())
  if place then
    open.place(place)
  else
    log.info('no source is named on this line')
  end
end

---Tell the server what the user thinks of the answer, which it keeps beside it.
---@param verdict 'good'|'bad'
local function judge(verdict)
  local id = current and current.turn.id
  if not id then
    log.info('the answer is not complete')
    return
  end
  client.request('postil/feedback', { answer = id, verdict = verdict }, function(result)
    log.info(result.kept and 'kept: a ' .. verdict .. ' answer' or 'this answer is not kept, so it can not be judged')
  end)
end

---@param title string
---@return postil.View
local function opened(title)
  local shown = view.open('answer', { filetype = 'markdown', title = title })
  shown:map('+', 'a good answer', function()
    judge('good')
  end)
  shown:map('-', 'a bad answer', function()
    judge('bad')
  end)
  shown:map({ '<CR>', 'gd' }, 'open the source', open_source)
  shown:map('<C-c>', 'stop the answer', M.stop)
  return shown
end

---Make it the answer that is shown.
---@param stream string
---@param turn postil.Turn
---@return postil.ShownAnswer
local function take_place(stream, turn)
  current = {
    stream = stream,
    turn = turn,
    view = opened(turn.title),
    cancel = function() end,
    targets = {},
    due = false,
  }
  draw()
  return current
end

---@param title string
---@param phase 'running'|'done'
---@return postil.Turn
local function new_turn(title, phase)
  return { title = title, phase = phase, text = '', sources = {}, nearest = {}, status = '' }
end

---Ask, and show the answer as it comes.
---@param method 'postil/ask'|'postil/summarise'
---@param params table
---@param title string
function M.ask(method, params, title)
  M.stop()
  vim.lsp.handlers['postil/answer'] = heard
  number = number + 1
  local stream = ('nvim-%d-%d'):format(vim.fn.getpid(), number)
  local buffer = vim.api.nvim_get_current_buf()
  local turn = new_turn(title, 'running')
  local shown = take_place(stream, turn)

  local function over()
    if current == shown then
      draw()
    end
  end
  shown.cancel = client.request(method, vim.tbl_extend('force', params, { stream = stream }), function(answer)
    render.take(turn, answer)
    over()
  end, {
    buffer = buffer,
    failed = function(message, cancelled)
      turn.phase, turn.status = cancelled and 'stopped' or 'failed', cancelled and '' or message
      over()
    end,
  })
  shown.view:on_close(function()
    if current == shown then
      M.stop()
    end
  end)
end

---@param past table
---@return string
local function title_of(past)
  return past.kind == 'summarise' and 'Summary of ' .. past.question or past.question
end

---Choose among the answers that were given in the open folders, and show one again.
---@param words string that its question or its text holds; all for none
function M.past(words)
  client.request('postil/past', { limit = MOST_PAST, kind = 'any' }, function(result)
    local wanted = words:lower()
    local found = vim.tbl_filter(function(past)
      return (title_of(past) .. '\n' .. past.answer.text):lower():find(wanted, 1, true) ~= nil
    end, result.answers)
    require('postil.pick').choose(found, {
      title = 'Past answers',
      format = function(past)
        return ('%s %s'):format(os.date('%Y-%m-%d %H:%M', math.floor(past.answered_at)), title_of(past))
      end,
      choose = function(past)
        M.stop()
        local turn = new_turn(text.line(title_of(past)), 'done')
        render.take(turn, past.answer)
        take_place('', turn)
      end,
    })
  end)
end

---The answer that is shown, or was last.
---@return postil.Turn?
function M.last()
  return current and current.turn
end

return M
