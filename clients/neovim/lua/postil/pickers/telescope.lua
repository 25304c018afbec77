-- Entries in Telescope.

local M = {}

---@param title string
---@param entries postil.Entry[]
---@param choose fun(entry: postil.Entry?)
function M.show(title, entries, choose)
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  local values = require('telescope.config').values
  local finder = require('telescope.finders').new_table({
    results = entries,
    entry_maker = function(entry)
      return { value = entry, display = entry.label, ordinal = entry.label, path = entry.path, lnum = entry.line }
    end,
  })
  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      finder = finder,
      sorter = values.generic_sorter({}),
      previewer = values.grep_previewer({}),
      attach_mappings = function(prompt)
        actions.select_default:replace(function()
          local selected = state.get_selected_entry()
          actions.close(prompt)
          choose(selected and selected.value)
        end)
        return true
      end,
    })
    :find()
end

return M
