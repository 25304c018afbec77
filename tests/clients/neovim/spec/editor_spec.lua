-- What sits in the editor: hover keys, documents, the statusline, :checkhealth, :help, finding the server.
local desk = require('desk')

describe('Postil', function()
  local config, server = require('postil.config'), require('postil.server')

  before_each(function()
    desk.clear()
    require('postil').setup({ picker = 'select' })
  end)

  for _, keys in ipairs({ '<CR>', 'gd' }) do
    it('opens what a hover links to with ' .. keys, function()
      desk.edit('docs/retries.md')
      desk.put_on(0, 'lease protocol%]%]')
      vim.lsp.buf.hover()
      local float = desk.eventually('a float', function()
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(window).relative ~= '' then
            return window
          end
        end
      end)
      vim.lsp.buf.hover() -- a second time enters it
      desk.eventually('the cursor in the float', function()
        return vim.api.nvim_get_current_win() == float
      end)
      desk.press(keys)
      assert.are.equal('docs/lease protocol.md', (desk.here()))
      assert.is_false(vim.api.nvim_win_is_valid(float))
    end)
  end

  it('hides in a hover the backslashes that are no text', function()
    desk.edit('docs/retries.md')
    local options = { focus_id = 'textDocument/hover' }
    local buffer = vim.lsp.util.open_floating_preview({ 'a\\_b `c\\_d`' }, 'markdown', options)
    local marks = desk.eventually('a hidden backslash', function()
      local marks = vim.api.nvim_buf_get_extmarks(buffer, require('postil.view').namespace, 0, -1, {})
      return #marks > 0 and marks
    end)
    assert.are.same({ { 0, 1 } }, { { marks[1][2], marks[1][3] } })
  end)

  it('takes no link of a text that a hover quotes', function()
    local links = require('postil.float').links({
      '[A](file:///a.md#L1) · [B \\] c](postil:/x) [d](http://e)',
      '````markdown',
      '[no](file:///etc/passwd)',
      '```',
      '[no](file:///etc/passwd)',
      '````',
      '- [C](file:///c%20d.md#L3) (both)',
    })
    assert.are.same({ 1, 7 }, { unpack(vim.fn.sort(vim.tbl_keys(links), 'n')) })
    assert.are.same(
      { 'file:///a.md#L1', 'postil:/x' },
      vim.tbl_map(function(link)
        return link.uri
      end, links[1])
    )
    assert.are.same({ { from = 2, to = 26, uri = 'file:///c%20d.md#L3' } }, links[7])
  end)

  it('shows a commit as a document', function()
    local _, client = desk.edit('docs/retries.md')
    local answer = client:request_sync('postil/history', { query = 'full jitter', limit = 1 }, 10000)
    local commit = answer.result.commits[1]
    require('postil.open').place(commit)
    assert.are.equal((commit.document:gsub('^postil:/', 'postil:///')), vim.api.nvim_buf_get_name(0))
    assert.are.equal('commit ' .. commit.sha, vim.fn.getline(1))
    local is = { vim.bo.filetype, vim.bo.buftype, vim.bo.readonly, vim.bo.modifiable, vim.bo.modeline, vim.bo.modified }
    assert.are.same({ 'diff', 'nofile', true, false, false, false }, is)
  end)

  it('tells in the statusline what is done, without asking anybody', function()
    local _, client = desk.edit('docs/retries.md')
    local function progress(value)
      vim.api.nvim_exec_autocmds('LspProgress', {
        pattern = value.kind,
        modeline = false,
        data = { client_id = client.id, params = { token = 't', value = value } },
      })
      return require('postil').statusline()
    end
    assert.are.equal('postil: indexing 12/100', progress({ kind = 'begin', title = 'x', percentage = 12 }))
    assert.are.equal('postil: indexing 30/100', progress({ kind = 'report', percentage = 30 }))
    assert.are.equal('postil', progress({ kind = 'end' }))
    desk.clear()
    assert.are.equal('', require('postil').statusline())
  end)

  it('has a health check that names the server and its folders', function()
    desk.edit('docs/retries.md')
    vim.cmd('checkhealth postil')
    local text = desk.text(0)
    assert.matches('OK Neovim 0%.', text)
    assert.matches('/postil, %d+%.%d+', text)
    assert.matches(vim.pesc(desk.root) .. ': 49 files, 33 commits', text)
    assert.matches('lists are shown with vim.ui.select', text, 1, true)
  end)

  it('has a health check that says what is missing', function()
    local path = vim.env.PATH
    desk.stop_all()
    vim.cmd('checkhealth postil')
    local text = desk.text(0)
    assert.matches('/postil, %d+%.%d+', text)
    assert.matches('no server runs; it starts with the first file of ' .. desk.root, text, 1, true)
    vim.cmd.lcd(vim.fn.fnameescape(vim.fs.dirname(vim.fn.tempname())))
    vim.cmd('checkhealth postil')
    assert.matches('the current folder is in none that it would run for', desk.text(0), 1, true)
    vim.env.PATH = '/nowhere'
    local ok, problem = pcall(vim.cmd, 'checkhealth postil')
    vim.env.PATH = path
    assert(ok, problem)
    text = desk.text(0)
    assert.matches("ERROR the program 'postil' was not found on PATH; install it with", text, 1, true)
    assert.is_nil(text:find('Postil: what runs', 1, true))
    require('postil').setup({ picker = 'select', cmd = { '/bin/false' } })
    vim.cmd('checkhealth postil')
    assert.matches('ERROR /bin/false can not be run', desk.text(0), 1, true)
  end)

  it('has help on every subcommand, map, option and function', function()
    local page = vim.api.nvim_get_runtime_file('doc/postil.txt', false)[1]
    vim.cmd('helptags ' .. vim.fn.fnameescape(vim.fs.dirname(page)))
    local tags = { 'postil', 'postil-statusline', 'postil-health', 'postil.setup()', 'postil.statusline()' }
    for _, name in ipairs(require('postil.command').names()) do
      table.insert(tags, ':Postil-' .. name)
    end
    for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
      if vim.startswith(map.lhs, '<Plug>(postil-') then
        table.insert(tags, map.lhs)
      end
    end
    for name in pairs(config.defaults) do
      table.insert(tags, 'postil-option-' .. name)
    end
    assert.is_true(#tags > 25)
    for _, tag in ipairs(tags) do
      vim.cmd.help(tag)
      assert.are.equal('*' .. tag .. '*', vim.fn.expand('<cWORD>'), tag)
    end
    vim.cmd.helpclose()
  end)

  it('names an option that is wrong, and keeps its default', function()
    local said = desk.told(function()
      require('postil').setup({ width = 3, colour = 'red', picker = 'dmenu', limit = 5, autostart = false })
    end, function(said)
      return #said == 3
    end)
    assert.matches('colour is no option of Postil', said, 1, true)
    assert.matches('width must lie between 0 and 1', said, 1, true)
    assert.matches("picker must be 'auto'", said, 1, true)
    assert.are.same({ 0.4, 5, 'auto' }, { config.options.width, config.options.limit, config.options.picker })
  end)

  describe('finds its server', function()
    local path = vim.env.PATH
    local folder = vim.fn.tempname()

    before_each(function()
      vim.fn.mkdir(folder .. '/bin', 'p')
      vim.fn.writefile({ '#!/bin/sh' }, folder .. '/bin/postil')
      vim.fn.setfperm(folder .. '/bin/postil', 'rwxr-xr-x')
    end)

    after_each(function()
      vim.env.PATH = path
    end)

    it('on PATH, but not inside of the folder that it is for, nor at a relative place', function()
      vim.env.PATH = folder .. '/bin'
      assert.are.same({ folder .. '/bin/postil', 'serve', '--stdio' }, server.command('/elsewhere'))
      local none, why = server.command(folder)
      assert.is_nil(none)
      assert.matches("the program 'postil' was not found on PATH; install it with", why, 1, true)
      vim.cmd.lcd(folder)
      vim.env.PATH = 'bin:./bin:'
      assert.is_nil(server.command('/elsewhere'))
    end)

    it('by option', function()
      require('postil').setup({ cmd = folder .. '/bin/postil', autostart = false })
      assert.are.same({ folder .. '/bin/postil', 'serve', '--stdio' }, server.command(folder))
      require('postil').setup({ cmd = { folder .. '/bin/postil', 'x' }, autostart = false })
      assert.are.same({ folder .. '/bin/postil', 'x' }, server.command(folder))
      require('postil').setup({ cmd = '/nowhere/postil', autostart = false })
      local none, why = server.command(folder)
      assert.is_nil(none)
      assert.matches("the server '/nowhere/postil' can't be run", why, 1, true)
    end)

    it('or says once that there is none, and goes on', function()
      vim.fn.mkdir(folder .. '/notes/.git', 'p')
      vim.fn.writefile({ '# A' }, folder .. '/notes/a.md')
      vim.env.PATH = '/nowhere'
      local said = desk.told(function()
        vim.cmd.edit(folder .. '/notes/a.md')
      end)
      assert.matches("the program 'postil' was not found on PATH", said, 1, true)
      vim.cmd.edit(folder .. '/notes/b.md')
      assert.are.same({}, vim.lsp.get_clients({ name = 'postil', bufnr = 0 }))
      assert.matches(
        'was not found',
        desk.told(function()
          vim.cmd('Postil search x')
        end)
      )
    end)
  end)

  it('starts with a command where it does not start by itself', function()
    desk.stop_all()
    vim.lsp.enable('postil', false)
    require('postil').setup({ picker = 'select', autostart = false })
    vim.cmd.edit(desk.root .. '/docs/retries.md')
    vim.wait(200)
    assert.are.same({}, vim.lsp.get_clients())
    desk.chosen('select', function()
      vim.cmd('Postil search poison jobs')
    end)
    assert.are.equal('postil', vim.lsp.get_clients()[1].name)
  end)

  it('starts for no file outside of folders of notes and code', function()
    local file = vim.fn.tempname() .. '.md'
    vim.cmd.edit(file)
    vim.wait(200)
    assert.are.same({}, vim.lsp.get_clients({ name = 'postil', bufnr = 0 }))
  end)
end)
