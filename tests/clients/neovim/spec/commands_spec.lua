local desk = require('desk')

describe(':Postil', function()
  setup(function()
    require('postil').setup({ picker = 'select' })
  end)

  before_each(desk.clear)

  it('completes its subcommands, and what follows some of them', function()
    local names =
      { 'ask', 'history', 'log', 'past', 'pause', 'related', 'resume', 'search', 'status', 'summarise', 'tags', 'why' }
    assert.are.same(names, vim.fn.getcompletion('Postil ', 'cmdline'))
    assert.are.same({ 'related', 'resume' }, vim.fn.getcompletion('Postil re', 'cmdline'))
    assert.are.same({ 'after:', 'author:' }, vim.fn.getcompletion('Postil history a', 'cmdline'))
    vim.cmd.lcd(desk.root)
    assert.are.same({ 'docker-compose.yml', 'docs/' }, vim.fn.getcompletion('Postil why do', 'cmdline'))
    assert.are.same({ 'since' }, vim.fn.getcompletion('Postil summarise si', 'cmdline'))
  end)

  it('completes after an abbreviation, a range, a bang and a modifier', function()
    vim.cmd.enew()
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '1', '2', '3' })
    vim.cmd('normal! ggVj\27')
    vim.cmd.lcd(desk.root)
    for _, command in ipairs({ 'Post', 'Postil!', '2,3Post', "'<,'>Postil", '%Posti!', 'sil Post' }) do
      assert.are.same({ 'related', 'resume' }, vim.fn.getcompletion(command .. ' re', 'cmdline'), command)
      assert.are.same({ 'docker-compose.yml', 'docs/' }, vim.fn.getcompletion(command .. ' why do', 'cmdline'), command)
      assert.are.same({}, vim.fn.getcompletion(command .. ' ask re', 'cmdline'), command)
    end
    local complete = require('postil.command').complete
    assert.are.same({ 'docs/' }, complete('docs', 'Postil!why docs', 15))
    assert.are.same({ 'related', 'resume' }, complete('re', 'Postil re why', 9), 'what follows the cursor is not read')
  end)

  it('says which subcommands there are', function()
    local said = desk.told(function()
      vim.cmd('Postil dance')
    end)
    assert.matches("'dance' is no subcommand; there are ask, history", said, 1, true)
  end)

  it('offers its subcommands where none was typed', function()
    desk.edit('docs/retries.md')
    local given = desk.chosen('select', function()
      desk.chosen('input', function()
        vim.cmd('Postil')
      end, 'How long is a lease?')
    end)
    assert.are.equal('ask', given.items[1])
    desk.shown('answer', '%[%d%]')
  end)

  it('searches, and opens what is chosen at its line', function()
    desk.edit('docs/retries.md')
    local given = desk.chosen('select', function()
      vim.cmd('Postil search how long is a lease')
    end)
    assert.are.equal('how long is a lease', given.prompt)
    assert.matches('docs/lease protocol.md:', table.concat(given.labels, '\n'), 1, true)
    local path, line = desk.here()
    assert.are.equal(given.labels[1]:match('^(.-):%d+ '), path)
    assert.are.equal(given.items[1].line, line)
  end)

  it('asks for the words of a search that were not typed', function()
    desk.edit('docs/retries.md')
    local asked = desk.chosen('input', function()
      desk.chosen('select', function()
        vim.cmd('Postil search')
      end)
    end, 'visibility of jobs')
    assert.are.equal('Search: ', asked.prompt)
  end)

  it('puts hits into the quickfix list with a bang', function()
    desk.edit('docs/retries.md')
    vim.cmd('Postil! search full jitter')
    local list = desk.eventually('a quickfix list', function()
      local list = vim.fn.getqflist({ items = 0, title = 0 })
      return list.title == 'Postil: full jitter' and list.items
    end)
    local first = vim.api.nvim_buf_get_name(list[1].bufnr)
    assert.is_true(vim.endswith(first, '/docs/retries.md') or vim.endswith(first, '/millrace/retry.py'), first)
  end)

  it('shows the status of each folder', function()
    desk.edit('docs/retries.md')
    vim.cmd('Postil status')
    local text = desk.text(desk.shown('status', 'index'))
    assert.matches('^millrace\n', text)
    assert.matches('  index     49 files, 33 commits', text, 1, true)
    assert.matches('  folder    ' .. desk.root, text, 1, true)
    assert.matches('\nLeft this machine\n  nothing, since the log begins 2%d%d%d%-', text)
  end)

  it('pauses and resumes, which the statusline shows', function()
    desk.edit('docs/retries.md')
    local statusline = require('postil').statusline
    assert.matches(
      'millrace: paused',
      desk.told(function()
        vim.cmd('Postil pause')
      end),
      1,
      true
    )
    assert.are.equal('postil: paused', statusline())
    assert.matches(
      'millrace: ',
      desk.told(function()
        vim.cmd('Postil resume')
      end),
      1,
      true
    )
    assert.is_nil(statusline():find('paused'))
  end)

  it('says why a file is not found', function()
    desk.edit('docs/retries.md')
    local said = desk.told(function()
      vim.cmd('Postil why ' .. desk.root .. '/config/redis.conf')
    end)
    assert.matches('config/redis.conf is indexed', said, 1, true)
  end)

  it('says why a file that is ignored is not found, and why the current one is', function()
    vim.fn.mkdir(desk.root .. '/target', 'p')
    vim.fn.writefile({ '# Out' }, desk.root .. '/target/out.md')
    desk.edit('docs/retries.md')
    assert.matches(
      'target/out.md is left out with target (ignored): ',
      desk.told(function()
        vim.cmd('Postil why target/out.md')
      end),
      1,
      true
    )
    assert.matches(
      'docs/retries.md is indexed',
      desk.told(function()
        vim.cmd('Postil why')
      end),
      1,
      true
    )
    vim.cmd.enew()
    local said = desk.told(function()
      vim.cmd('Postil why')
    end)
    assert.are.equal('Postil: name the file', said)
  end)

  it('opens the log', function()
    desk.edit('docs/retries.md')
    vim.cmd('Postil log')
    desk.eventually('the log', function()
      return vim.endswith(vim.api.nvim_buf_get_name(0), '/server.log')
    end)
    assert.matches('"event": "start"', desk.text(0), 1, true)
    assert.is_true(vim.bo.readonly)
  end)

  it('opens what Neovim wrote of its servers where no server can say where its log is', function()
    desk.stop_all()
    require('postil').setup({ picker = 'select', cmd = '/nowhere/postil' })
    local said = desk.told(function()
      vim.cmd('Postil log')
    end)
    require('postil').setup({ picker = 'select' })
    assert.matches(
      "^Postil: the server '/nowhere/postil' can't be run; .*; here is what Neovim wrote of its servers$",
      said
    )
    assert.are.equal(vim.lsp.get_log_path(), vim.api.nvim_buf_get_name(0))
    assert.is_true(vim.bo.readonly)
  end)
end)
