-- Entries in the picker of Snacks.

local M = {}

---@param title string
---@param entries postil.Entry[]
---@param choose fun(entry: postil.Entry?)
function M.show(title, entries, choose)
  local items = {}
  for number, entry in ipairs(entries) do
    table.insert(items, {
      idx = number,
      text = entry.label,
      file = entry.path,
      pos = entry.line and { entry.line, 0 } or nil,
      preview = not entry.path and { text = entry.label } or nil,
      entry = entry,
    })
  end
  require('snacks').picker({
    title = title,
    items = items,
    format = function(item)
      return { { item.text } }
    end,
    confirm = function(picker, item)
      picker:close()
      choose(item and item.entry)
    end,
  })
end

return M
