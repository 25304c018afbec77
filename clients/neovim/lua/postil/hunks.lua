-- The changed lines of a commit: where they are now, and where they were.

local answer_text = require('postil.answer_text')
local log = require('postil.log')
local open = require('postil.open')

local M = {}

---@class postil.Hunk
---@field uri string of the file, by its name after the commit
---@field root string
---@field range lsp.Range in the file after the commit
---@field symbol string
---@field was postil.Place in a document of the file as it was
---@field followed boolean whether it is known what has come of the lines
---@field now? postil.Place in the file as it is; none of the lines is left where there is none and they were followed

---@alias postil.When 'now'|'was'

---Those that a line of the commit's diff is about: its hunk, all of its file, or all of the commit.
---@param hunks postil.Hunk[]
---@param lines string[] of the diff
---@param row integer 1-based
---@return postil.Hunk[]
function M.under(hunks, lines, row)
  local start ---@type integer?
  for at = row, 1, -1 do
    local first, count = lines[at]:match('^@@ %-%d+,?%d* %+(%d+),?(%d*)')
    if first and not start then
      start = tonumber(first) - (count == '0' and 0 or 1) -- git names the line before where there are none
    end
    local path = lines[at]:match('^diff %-%-git a/.* b/(.*)$')
    if path then
      return vim.tbl_filter(function(hunk)
        local is_of_file = vim.uri_to_fname(hunk.uri) == vim.fs.joinpath(hunk.root, path)
        return is_of_file and (start == nil or hunk.range.start.line == start)
      end, hunks)
    end
  end
  return hunks
end

---@param hunks postil.Hunk[]
---@return boolean whether none of their lines is left
local function are_gone(hunks)
  return vim.iter(hunks):all(function(hunk)
    return hunk.followed and not hunk.now
  end)
end

---Open the lines of one of these; where there are several, they are offered to choose from.
---@param hunks postil.Hunk[]
---@param when postil.When
function M.open(hunks, when)
  local places = {}
  for _, hunk in ipairs(hunks) do
    local place = hunk[when]
    if place then
      local label = ('%s %s'):format(answer_text.where(when == 'now' and place or hunk), hunk.symbol)
      table.insert(places, { uri = place.uri, range = place.range, label = label })
    end
  end
  if #places == 1 then
    open.place(places[1])
  elseif #places > 1 then
    require('postil.pick').choose(places, {
      title = when == 'now' and 'Lines as they are now' or 'Lines as they were',
      format = function(place)
        return place.label
      end,
    })
  elseif #hunks == 0 then
    log.info('no changed lines are known here')
  elseif are_gone(hunks) then
    log.info('these lines are gone; gw opens them as they were')
  else
    log.info('where these lines are now is not known')
  end
end

---The keys of a view that open lines.
---@param shown postil.View
---@param hunks fun(): postil.Hunk[] those at the cursor
function M.map(shown, hunks)
  shown:map('gn', 'open the lines as they are now', function()
    M.open(hunks(), 'now')
  end)
  shown:map('gw', 'open the lines as they were', function()
    M.open(hunks(), 'was')
  end)
end

return M
