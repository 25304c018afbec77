-- One sitting in the real editor with the real server: nvim --clean --headless -c 'luafile e2e.lua'
-- From a folder that was never indexed to an answer, with nothing configured but `vim.lsp.enable('postil')`.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. '/../../../clients/neovim'))
vim.cmd('runtime plugin/postil.lua')
vim.o.columns, vim.o.lines = 140, 40
local desk = require('desk')
local steps = 0

---The lines of the screen as they are drawn, concealed text left out.
local function screen()
  vim.cmd.redraw()
  local lines = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      table.insert(cells, vim.fn.screenstring(row, column))
    end
    table.insert(lines, table.concat(cells))
  end
  return table.concat(lines, '\n')
end

local function step(what, is)
  if not is then
    error(('%s\n%s'):format(what, screen()))
  end
  steps = steps + 1
  io.stdout:write(('ok %d %s\n'):format(steps, what))
end

---Call until the answer is true; `call` may wait itself, which it may not inside of vim.wait.
local function again(what, call)
  local deadline = vim.uv.hrtime() + 60e9
  while vim.uv.hrtime() < deadline do
    if call() then
      return
    end
    vim.wait(100)
  end
  error(what .. ' did not happen in time')
end

local function sit()
  vim.lsp.enable('postil')
  vim.cmd.cd(vim.fn.fnameescape(desk.root))
  local _, client = desk.edit('docs/retries.md')
  step('the server starts with the first note', client.server_info.name == 'postil')
  step('in its folder', client.root_dir == desk.root)

  again('the index', function()
    local answer = client:request_sync('postil/status', vim.empty_dict(), 10000)
    local folder = answer and answer.result and answer.result.folders[1]
    return folder and folder.indexed and folder.pending == 0 and folder.commits == 33
  end)
  step('which is indexed without being told', true)

  desk.put_on(0, '^A job that has used up')
  again('a hover', function()
    vim.lsp.buf.hover({ silent = true })
    return vim.wait(1000, function()
      return screen():find('Related', 1, true)
    end, 50)
  end)
  step('a paragraph has related places in its hover', true)
  step('whose addresses are not shown', not screen():find('file:', 1, true))
  vim.cmd('only')

  vim.cmd('Postil ask How long is a lease?')
  local answer = desk.shown('answer', 'Extracts; no model was asked.*%[%d%]')
  step('an answer comes, its citations raised', screen():find('[¹²³⁴⁵⁶]'))
  step('its sources first', desk.lines(answer)[1]:match('^1%. `'))
  desk.put_on(answer, ' %[%d%]$')
  desk.press('<CR>')
  step('a citation opens its source', vim.api.nvim_get_current_win() ~= answer and vim.bo.buftype == '')
  vim.api.nvim_set_current_win(answer)
  desk.press('q')

  desk.edit('docs/retries.md')
  vim.fn.append(vim.fn.line('$'), { '', 'Typed now: redis memory fragmentation and eviction.' })
  vim.cmd('normal! G')
  vim.cmd('Postil related')
  desk.shown('related', '碎片')
  step('related notes follow what is typed, saved or not', vim.bo.modified)
  vim.cmd('silent undo | only')

  vim.cmd('Postil history full jitter')
  local history = desk.shown('history', 'add full jitter')
  desk.put_on(history, 'add full jitter')
  desk.press('<CR>')
  desk.shown('diff', '%+import random')
  step('history shows a change', true)

  vim.cmd('only')
  local chosen = desk.chosen('select', function()
    vim.cmd('Postil search poison jobs')
  end)
  step('a search opens what is chosen', #chosen.items > 3 and desk.here() ~= '')
  client:stop()
  desk.eventually('the end', function()
    return client:is_stopped()
  end)
  step('the server ends', true)
end

local ok, problem = xpcall(sit, debug.traceback)
if not ok then
  io.stdout:write(problem, '\n')
  vim.cmd.cquit()
end
vim.cmd('qall!')
