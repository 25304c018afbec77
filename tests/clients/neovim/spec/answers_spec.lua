local desk = require('desk')

describe(':Postil ask', function()
  setup(function()
    require('postil').setup({ picker = 'select' })
  end)

  before_each(desk.clear)

  local function ask(command)
    desk.edit('docs/retries.md')
    vim.cmd(command)
    local window = desk.shown('answer', 'Extracts; no model was asked.*%[%d%]')
    desk.eventually('the end', function()
      return not vim.startswith(desk.title(window), '… ')
    end)
    return window
  end

  it('shows the sources, then the text, in a split in which nothing can be changed', function()
    local window = ask('Postil ask How long is a lease?')
    local lines = desk.lines(window)
    assert.matches('^1%. `.+:%d+`', lines[1])
    assert.matches('%[%d%]', desk.text(window):match('Extracts(.*)'))
    assert.are.equal('docs/retries.md', (desk.here()), 'the cursor stays where one writes')
    assert.are.equal('How long is a lease?', desk.title(window))
    local options = vim.bo[vim.api.nvim_win_get_buf(window)]
    local is = { options.buftype, options.filetype, options.modifiable, options.modeline, options.swapfile }
    assert.are.same({ 'nofile', 'markdown', false, false, false }, is)
  end)

  for _, keys in ipairs({ '<CR>', 'gd' }) do
    it('opens the source of a citation with ' .. keys .. ', in the window beside', function()
      local window = ask('Postil ask How long is a lease?')
      desk.put_on(window, ' %[%d%]$')
      local number = vim.api.nvim_get_current_line():match('%[(%d)%]$')
      local source = desk.text(window):match(number .. '%. `([^`]+)`')
      desk.press(keys)
      local path, line = desk.here()
      assert.are.equal(source, ('%s:%d'):format(path, line))
      assert.is_true(vim.api.nvim_win_is_valid(window))
    end)
  end

  it('opens a source from the list above the text', function()
    local window = ask('Postil ask How long is a lease?')
    desk.put_on(window, '^2%.')
    local source = vim.api.nvim_get_current_line():match('`(.*)`')
    desk.press('<CR>')
    assert.are.equal(source, ('%s:%d'):format(desk.here()))
  end)

  it('shows citations as raised numbers', function()
    local window = ask('Postil ask How long is a lease?')
    local buffer = vim.api.nvim_win_get_buf(window)
    desk.put_on(window, ' %[%d%]$')
    local row = vim.api.nvim_win_get_cursor(window)[1] - 1
    local from, to = row, row
    local marks = vim.api.nvim_buf_get_extmarks(buffer, -1, { from, 0 }, { to, -1 }, { details = true })
    local concealed = {}
    for _, mark in ipairs(marks) do
      if mark[4].conceal then
        table.insert(concealed, mark[4].conceal)
      end
    end
    local digit = tonumber(vim.api.nvim_get_current_line():match('%[(%d)%]$'))
    local raised = { '¹', '²', '³', '⁴', '⁵', '⁶' }
    assert.are.same({ '', raised[digit], '' }, concealed)
    local shown = { vim.wo[window].conceallevel, vim.wo[window].concealcursor }
    assert.are.same({ 2, 'nc' }, shown)
  end)

  it('closes with q', function()
    local window = ask('Postil ask How long is a lease?')
    vim.api.nvim_set_current_win(window)
    desk.press('q')
    assert.is_false(vim.api.nvim_win_is_valid(window))
  end)

  it('says in the split what is nearest where nothing answers', function()
    desk.edit('docs/retries.md')
    vim.cmd('Postil ask Who won the chess championship in Reykjavik?')
    local text = desk.text(desk.shown('answer', 'does not have this'))
    assert.is_nil(text:find('%[1%]'))
  end)

  it('answers beneath one window for all answers of a tab page', function()
    local first = ask('Postil ask How long is a lease?')
    desk.edit('docs/retries.md')
    vim.cmd('Postil ask What happens to poison jobs?')
    desk.eventually('the second answer', function()
      return desk.title(first) == 'What happens to poison jobs?'
    end)
    assert.are.equal(first, desk.window('answer'))
  end)

  it('is judged with + and -, once it is complete', function()
    local window = ask('Postil ask How long is a lease?')
    vim.api.nvim_set_current_win(window)
    assert.are.equal(
      'Postil: kept: a good answer',
      desk.told(function()
        desk.press('+')
      end)
    )
    assert.are.equal(
      'Postil: kept: a bad answer',
      desk.told(function()
        desk.press('-')
      end)
    )
  end)

  it('of before is chosen from a list, and shown again with its sources', function()
    local window = ask('Postil ask How long is a lease?')
    local before = desk.text(window)
    vim.api.nvim_set_current_win(window)
    desk.press('q')
    desk.edit('docs/retries.md')
    local given = desk.chosen('select', function()
      vim.cmd('Postil past how LONG is a lease')
    end)
    assert.matches('^%d%d%d%d%-%d%d%-%d%d %d%d:%d%d How long is a lease%?$', given.labels[1])
    local again = desk.shown('answer', '%[%d%]')
    assert.are.equal(before, desk.text(again))
    assert.are.equal('How long is a lease?', desk.title(again))
    desk.put_on(again, '%[%d%]')
    desk.press('gd')
    assert.matches('%.md$', (desk.here()))
  end)

  it('of before is not there where nothing holds the words', function()
    desk.edit('docs/retries.md')
    local said = desk.told(function()
      vim.cmd('Postil past zyzzyva')
    end)
    assert.are.equal('Postil: nothing found', said)
  end)

  it('is about the selection when it is asked by a map', function()
    desk.edit('docs/retries.md')
    vim.api.nvim_win_set_cursor(0, { 13, 0 })
    desk.press('Vjj<Plug>(postil-summarise)')
    local window = desk.shown('answer', '%[%d%]')
    assert.matches('Summary of docs/retries.md:13%-15$', desk.title(window))
  end)

  it('summarises a file, lines of it, and changes', function()
    desk.edit('docs/retries.md')
    vim.cmd('Postil summarise')
    local window = desk.shown('answer', '%[%d%]')
    desk.eventually('the end', function()
      return desk.title(window) == 'Summary of docs/retries.md'
    end)
    desk.edit('docs/retries.md')
    vim.cmd('10,14Postil summarise')
    desk.eventually('that of lines', function()
      return desk.title(window) == 'Summary of docs/retries.md:10-14'
    end)
    vim.cmd('Postil summarise since 2024-04-15')
    desk.eventually('that of changes', function()
      return desk.title(window) == 'Summary of changes since 2024-04-15'
    end)
  end)

  it('is about the lines of a range', function()
    local _, client = desk.edit('docs/retries.md')
    local sent = desk.sent(client, 'postil/ask', function()
      vim.cmd('10,14Postil ask What is full jitter?')
    end)
    assert.are.equal(1, #sent)
    assert.are.same(
      { start = { line = 9, character = 0 }, ['end'] = { line = 14, character = 0 } },
      sent[1].range,
      'to the start of the line after the last'
    )
    assert.are.same({ uri = vim.uri_from_bufnr(0) }, sent[1].textDocument)
    assert.are.equal('What is full jitter?', sent[1].question)
    assert.is_nil(sent[1].previous)
    desk.shown('answer', '%[%d%]')
  end)

  it('follows up on the answer before with a bang, and else on none', function()
    ask('Postil ask How long is a lease?')
    local before = require('postil.answer').last()
    local _, client = desk.edit('docs/retries.md')
    local function sent_by(command)
      return desk.sent(client, 'postil/ask', function()
        vim.cmd(command)
      end)[1]
    end
    local sent = sent_by('Postil! ask And who ends it?')
    assert.are.same({ question = 'How long is a lease?', text = before.text }, sent.previous)
    assert.are.equal('And who ends it?', sent.question)
    assert.is_nil(sent.range)
    assert.is_nil(sent_by('Postil ask How long is a lease?').previous)
  end)

  it('summarises a file and a folder that are named', function()
    local _, client = desk.edit('docs/retries.md')
    for _, path in ipairs({ 'docs/lease protocol.md', 'docs/' }) do
      local sent = desk.sent(client, 'postil/summarise', function()
        vim.cmd('3,4Postil summarise ' .. path)
      end)
      assert.are.same({ uri = vim.uri_from_fname(desk.root .. '/' .. path) }, sent[1].textDocument)
      assert.is_nil(sent[1].range)
      local window = desk.shown('answer', '%[%d%]')
      desk.eventually('the end', function()
        return desk.title(window) == 'Summary of ' .. path
      end)
      assert.matches('`docs/' .. (path == 'docs/' and '' or 'lease protocol.md:'), desk.lines(window)[1])
    end
  end)

  it('summarises nothing where there is no file', function()
    vim.cmd.enew()
    local said = desk.told(function()
      vim.cmd('Postil summarise')
    end)
    assert.are.equal('Postil: open the file that is to be summarised, or name one', said)
    assert.is_nil(desk.window('answer'))
  end)
end)
