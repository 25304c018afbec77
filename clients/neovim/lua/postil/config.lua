-- What the user can set, with its defaults.

local M = {}

---@class postil.Options
---@field cmd? string|string[] the server: a program, or a program and its arguments; nil looks for `postil` on PATH
---@field autostart? boolean whether the server is started for files that lie in a folder of notes or code
---@field root_markers? string[] names that tell the top of such a folder
---@field settings? table the server's settings, by section, as in its settings file; taken as the user's own
---@field picker? 'auto'|'select'|'telescope'|'fzf-lua'|'snacks' what lists of results are shown with
---@field width? number of a side split, as a share of the columns
---@field limit? integer results that are asked for
---@field yield? boolean whether Postil leaves to another server of notes what that one does as well

---@type postil.Options
M.defaults = {
  cmd = nil,
  autostart = true,
  root_markers = { '.git', '.postil.toml', '.postilignore', '.obsidian', '.marksman.toml', '.moxide.toml', '.zk' },
  settings = {},
  picker = 'auto',
  width = 0.4,
  limit = 30,
  yield = true,
}

local TYPES = {
  cmd = { 'string', 'table', 'nil' },
  autostart = { 'boolean' },
  root_markers = { 'table' },
  settings = { 'table' },
  picker = { 'string' },
  width = { 'number' },
  limit = { 'number' },
  yield = { 'boolean' },
}
local PICKERS = { auto = true, select = true, telescope = true, ['fzf-lua'] = true, snacks = true }

---@type postil.Options
M.options = vim.deepcopy(M.defaults)

---What is wrong with some options; the empty list where nothing is.
---@param options table
---@return string[]
local function problems(options)
  local found = {}
  for name, value in pairs(options) do
    local types = TYPES[name]
    if not types then
      table.insert(found, ('%s is no option of Postil'):format(name))
    elseif not vim.tbl_contains(types, type(value)) then
      table.insert(found, ('%s must be a %s'):format(name, types[1]))
    elseif name == 'picker' and not PICKERS[value] then
      table.insert(found, "picker must be 'auto', 'select', 'telescope', 'fzf-lua' or 'snacks'")
    elseif name == 'width' and not (value > 0 and value < 1) then
      table.insert(found, 'width must lie between 0 and 1')
    elseif name == 'limit' and not (value >= 1 and value <= 200 and value % 1 == 0) then
      table.insert(found, 'limit must be a whole number from 1 to 200')
    end
  end
  table.sort(found)
  return found
end

---Take these options over the defaults. One that is wrong is named and keeps its default.
---@param given? postil.Options
---@return string[] problems
function M.set(given)
  local taken, found = {}, {}
  for name, value in pairs(given or {}) do
    local wrong = problems({ [name] = value })
    if #wrong == 0 then
      taken[name] = value
    end
    vim.list_extend(found, wrong)
  end
  M.options = vim.tbl_extend('force', vim.deepcopy(M.defaults), taken)
  table.sort(found)
  return found
end

return M
