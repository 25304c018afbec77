-- Lists of places to choose from: in the picker that is there, else vim.ui.select; or in the quickfix list.

local answer_text = require('postil.answer_text')
local config = require('postil.config')
local log = require('postil.log')
local open = require('postil.open')
local text = require('postil.text')

local M = {}

-- In this order where the user names none: what one has installed beside the editor, one prefers.
local PICKERS = { { 'snacks', 'snacks' }, { 'telescope', 'telescope' }, { 'fzf-lua', 'fzf-lua' } }

---@class postil.Listing
---@field title string
---@field format? fun(item: table): string
---@field choose? fun(item: table)

---@class postil.Entry
---@field label string
---@field path? string
---@field line? integer 1-based
---@field item table

---The name of the picker that lists are shown in.
---@return string
function M.picker()
  local wanted = config.options.picker
  for _, each in ipairs(PICKERS) do
    local name, module = each[1], each[2]
    if (wanted == name or wanted == 'auto') and pcall(require, module) then
      return name
    end
  end
  return 'select'
end

---@param hit table
---@return string
local function place_label(hit)
  local name = text.line(hit.name or hit.title or '')
  local stale = hit.stale == true and ' (changed since)' or ''
  return ('%s  %s%s'):format(answer_text.where(hit), hit.sha and '' or name, stale)
end

---@param items table[]
---@param listing postil.Listing
---@return postil.Entry[]
function M.entries(items, listing)
  return vim.tbl_map(function(item)
    local is_file = item.uri and not item.sha and vim.startswith(item.uri, 'file:')
    return {
      label = text.line((listing.format or place_label)(item)),
      path = is_file and vim.uri_to_fname(item.uri) or nil,
      line = item.range and item.range.start.line + 1 or nil,
      item = item,
    }
  end, items)
end

---@param items table[]
---@param listing postil.Listing
function M.choose(items, listing)
  if #items == 0 then
    log.info('nothing found')
    return
  end
  local entries = M.entries(items, listing)
  local function choose(entry)
    if entry then
      (listing.choose or open.place)(entry.item)
    end
  end
  local picker = M.picker()
  if picker ~= 'select' then
    local shown, problem =
      pcall(require('postil.pickers.' .. picker:gsub('%-', '_')).show, listing.title, entries, choose)
    if shown then
      return
    end
    log.warn(('%s failed: %s'):format(picker, problem))
  end
  vim.ui.select(entries, {
    prompt = text.line(listing.title),
    kind = 'postil',
    format_item = function(entry)
      return entry.label
    end,
  }, choose)
end

---@param items table[]
---@param listing postil.Listing
function M.quickfix(items, listing)
  local list = {}
  for _, entry in ipairs(M.entries(items, listing)) do
    table.insert(list, {
      filename = entry.path,
      lnum = entry.path and entry.line or nil,
      text = entry.path and text.line(entry.item.name or entry.item.title or '') or entry.label,
    })
  end
  vim.fn.setqflist({}, ' ', { title = 'Postil: ' .. text.line(listing.title), items = list })
  vim.cmd('botright copen')
end

return M
