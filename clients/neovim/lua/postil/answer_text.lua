-- An answer as the lines of a buffer: its sources, its text, what is nearest where there is no answer.

local markdown = require('postil.markdown')
local text = require('postil.text')
local view = require('postil.view')

local M = {}

local SUPERSCRIPTS = { [0] = '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹' }
local PATH_CELLS = 60

---@class postil.Target what a part of a line leads to
---@field from integer 0-based byte column
---@field to integer
---@field place postil.Place
---@field cited boolean whether it is a citation in the text

---@class postil.Drawn
---@field lines string[]
---@field targets table<integer, postil.Target[]> by 1-based line
---@field groups table<integer, string> highlight groups of lines that are not of the answer's own text

---Take over what the server returned at the end; it holds all that was streamed.
---@param turn postil.Turn
---@param answer table
function M.take(turn, answer)
  turn.phase = answer.finish == 'cancelled' and 'stopped' or 'done'
  turn.text, turn.sources, turn.nearest = answer.text, answer.citations, answer.nearest
  turn.model, turn.id, turn.status = answer.model, answer.id, ''
end

---@param turn postil.Turn
---@return string
function M.title(turn)
  local states = { running = '… ', stopped = 'stopped: ', failed = 'failed: ', done = '' }
  return states[turn.phase] .. turn.title
end

---A document, or lines of it, as a person reads it.
---@param uri string
---@param range? lsp.Range whole lines
---@return string
function M.name(uri, range)
  local ok, path = pcall(vim.uri_to_fname, uri)
  local name = text.line(ok and vim.fn.fnamemodify(path, ':~:.') or uri)
  return range and ('%s:%d-%d'):format(name, range.start.line + 1, range['end'].line) or name
end

---Where something lies, as a person reads it.
---@param place postil.Place
---@return string
function M.where(place)
  if place.sha then
    return ('%s %s'):format(place.sha:sub(1, 10), text.line(place.title or place.name or ''))
  end
  local ok, path = pcall(vim.uri_to_fname, place.uri or '')
  if not ok then
    return text.line(place.uri)
  end
  local root = place.root and place.root .. '/'
  local shown = root and vim.startswith(path, root) and path:sub(#root + 1) or vim.fn.fnamemodify(path, ':~:.')
  return ('%s:%d'):format(text.line(shown, PATH_CELLS), place.range.start.line + 1)
end

---@param drawn postil.Drawn
---@param line string
---@param group? string
---@param place? postil.Place
local function add(drawn, line, group, place)
  table.insert(drawn.lines, line)
  drawn.groups[#drawn.lines] = group
  if place then
    drawn.targets[#drawn.lines] = { { from = 0, to = #line, place = place, cited = false } }
  end
end

---As code, in which Markdown has no other marks; Neovim hides the ticks.
---@param words string
local function as_code(words)
  return '`' .. words:gsub('`', "'") .. '`'
end

---@param line string in which code is blanked out
---@param sources table<integer, postil.Place>
---@return postil.Target[]
local function citations(line, sources)
  local found = {}
  for from, digits, to in line:gmatch('()%[(%d+)%]()') do
    local place = sources[tonumber(digits)]
    if place then
      table.insert(found, { from = from - 1, to = to - 1, place = place, cited = true })
    end
  end
  return found
end

---@param drawn postil.Drawn
---@param turn postil.Turn
---@param sources table<integer, postil.Place>
local function add_text(drawn, turn, sources)
  local lines, above = text.lines(turn.text), #drawn.lines
  vim.list_extend(drawn.lines, lines)
  for row, line in pairs(markdown.prose(lines)) do
    drawn.targets[above + row] = citations(line, sources)
  end
end

---@param turn postil.Turn
---@return postil.Drawn
function M.lines(turn)
  local drawn = { lines = {}, targets = {}, groups = {} }
  local sources = {}
  for _, source in ipairs(turn.sources) do
    sources[source.number] = source
    local stale = source.stale == true and ' (changed since)' or ''
    add(drawn, ('%d. %s%s'):format(source.number, as_code(M.where(source)), stale), 'PostilSource', source)
  end
  if #turn.sources > 0 then
    add(drawn, '')
  end
  if turn.text ~= '' then
    add_text(drawn, turn, sources)
  end
  if turn.phase == 'running' then
    add(drawn, turn.status ~= '' and text.escaped(turn.status) or turn.text == '' and '…' or '', 'PostilQuiet')
  elseif turn.phase == 'failed' then
    add(drawn, text.escaped(turn.status), 'PostilQuiet')
  end
  if #turn.sources == 0 and #turn.nearest > 0 then
    add(drawn, '')
    add(drawn, 'Nearest:')
    for _, hit in ipairs(turn.nearest) do
      add(drawn, ('- %s %s'):format(as_code(M.where(hit)), text.escaped(hit.name)), 'PostilSource', hit)
    end
  end
  if turn.phase == 'done' and type(turn.model) == 'string' and turn.model ~= '' then
    add(drawn, '')
    add(drawn, 'Written by ' .. text.escaped(turn.model), 'PostilQuiet')
  end
  return drawn
end

---Show an answer: citations as raised numbers, and what is about the answer in another colour.
---@param shown postil.View
---@param drawn postil.Drawn
function M.show(shown, drawn)
  shown:set_lines(drawn.lines, drawn.groups)
  markdown.hide_escapes(shown.buffer, view.namespace)
  for row, targets in pairs(drawn.targets) do
    for _, target in ipairs(targets) do
      if target.cited then
        shown:mark(row, target.from, target.from + 1, { conceal = '' })
        for column = target.from + 1, target.to - 2 do
          local digit = tonumber(drawn.lines[row]:sub(column + 1, column + 1))
          shown:mark(row, column, column + 1, { conceal = SUPERSCRIPTS[digit], hl_group = 'PostilCitation' })
        end
        shown:mark(row, target.to - 1, target.to, { conceal = '' })
      end
    end
  end
end

return M
