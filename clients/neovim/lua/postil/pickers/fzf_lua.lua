-- Entries in fzf-lua.

local M = {}

---@param title string
---@param entries postil.Entry[]
---@param choose fun(entry: postil.Entry?)
function M.show(title, entries, choose)
  local lines = {}
  for number, entry in ipairs(entries) do
    table.insert(lines, ('%d\t%s'):format(number, entry.label)) -- the number tells equal labels apart
  end
  require('fzf-lua').fzf_exec(lines, {
    prompt = title .. '> ',
    fzf_opts = { ['--delimiter'] = '\t', ['--with-nth'] = '2..' },
    actions = {
      ['default'] = function(selected)
        local number = selected and selected[1] and tonumber(selected[1]:match('^(%d+)\t'))
        choose(number and entries[number])
      end,
    },
  })
end

return M
