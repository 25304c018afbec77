-- The maps that one can give keys to, and that there are no others.
local desk = require('desk')

describe('a map', function()
  local command = require('postil.command')
  local run = command.run
  local events

  before_each(function()
    desk.clear()
    vim.cmd.enew()
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '1', '2', '3', '4' })
    events = {}
    command.run = function(event)
      table.insert(events, { event.args, event.range > 0 and { event.line1, event.line2 } or 'no range', event.bang })
    end
  end)

  after_each(function()
    command.run = run
    vim.bo.modified = false
  end)

  for _, name in ipairs(command.names()) do
    it('runs :Postil ' .. name, function()
      desk.press('<Plug>(postil-' .. name .. ')')
      assert.are.same({ { name, 'no range', false } }, events)
    end)
  end

  for _, name in ipairs({ 'ask', 'history', 'summarise' }) do
    it('takes the selection to :Postil ' .. name, function()
      desk.press('ggjVj<Plug>(postil-' .. name .. ')')
      assert.are.same({ { name, { 2, 3 }, false } }, events)
    end)
  end

  it('of ours has a name that no key gives by itself', function()
    local channel = vim.fn.jobstart({ vim.v.progpath, '--clean', '--headless', '--embed' }, { rpc = true })
    local plugin = vim.fs.dirname(vim.fs.dirname(vim.api.nvim_get_runtime_file('plugin/postil.lua', false)[1]))
    local made = vim.rpcrequest(
      channel,
      'nvim_exec_lua',
      [[
        local function maps()
          local found = {}
          for _, mode in ipairs({ 'n', 'x', 's', 'o', 'i', 'c', 't', 'l' }) do
            for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
              found[mode .. ' ' .. map.lhs] = true
            end
          end
          return found
        end
        local before = maps()
        vim.opt.runtimepath:prepend(...)
        vim.cmd('runtime plugin/postil.lua')
        require('postil').setup({})
        local made = {}
        for name in pairs(maps()) do
          if not before[name] then
            table.insert(made, name)
          end
        end
        table.sort(made)
        return made
      ]],
      { plugin }
    )
    vim.fn.jobstop(channel)
    local wanted = { 'x <Plug>(postil-ask)', 'x <Plug>(postil-history)', 'x <Plug>(postil-summarise)' }
    for _, name in ipairs(command.names()) do
      table.insert(wanted, ('n <Plug>(postil-%s)'):format(name))
    end
    table.sort(wanted)
    assert.are.same(wanted, made)
  end)

  it('of ours is in no buffer of a file', function()
    command.run = run
    local buffer = desk.edit('docs/retries.md')
    for _, map in ipairs(vim.api.nvim_buf_get_keymap(buffer, 'n')) do
      assert.is_nil((map.desc or ''):find('Postil'), map.lhs)
    end
  end)
end)
