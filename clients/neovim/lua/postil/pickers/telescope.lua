-- Entries in Telescope.

local M = {}

---@param entry postil.Entry
---@return table of Telescope
local function made(entry)
  return {
    value = entry.path or '', -- Telescope takes the value for a path where there is none, and '' for one of no file
    display = entry.label,
    ordinal = entry.label,
    text = entry.label,
    path = entry.path,
    lnum = entry.line,
    entry = entry,
  }
end

---@param title string
---@param entries postil.Entry[]
---@param choose fun(entry: postil.Entry?)
function M.show(title, entries, choose)
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  local values = require('telescope.config').values

  local function take(prompt)
    local selected = state.get_selected_entry()
    actions.close(prompt)
    choose(selected and selected.entry)
  end
  local function is_no_file()
    local selected = state.get_selected_entry()
    return selected ~= nil and selected.entry ~= nil and not selected.path
  end

  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      finder = require('telescope.finders').new_table({ results = entries, entry_maker = made }),
      sorter = values.generic_sorter({}),
      previewer = values.grep_previewer({}),
      attach_mappings = function()
        actions.select_default:replace(take)
        -- the keys that open in a split or a tab page would take the label for the name of a file
        require('telescope.actions.set').select:replace_if(is_no_file, take)
        return true
      end,
    })
    :find()
end

return M
