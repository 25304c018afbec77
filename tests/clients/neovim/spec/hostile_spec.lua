-- Whatever a server passes on from files, commits and models, nothing of it is run, and no control character is shown.
local desk = require('desk')

describe('hostile text', function()
  local folder = vim.fn.tempname()
  local options = require('postil.config').options

  setup(function()
    desk.stop_all()
    vim.fn.mkdir(folder .. '/.git', 'p')
    require('postil').setup({ picker = 'select', cmd = { desk.python, desk.tiny, 'hostile' } })
    options = require('postil.config').options
  end)

  teardown(desk.stop_all)

  before_each(function()
    assert.are.same({ desk.python, desk.tiny, 'hostile' }, options.cmd)
    desk.clear()
    vim.o.modeline = true
    vim.g.evil = nil
    vim.cmd.edit(folder .. '/note.md')
    desk.eventually('the tiny server', function()
      local client = vim.lsp.get_clients({ name = 'postil', bufnr = 0 })[1]
      return client and client.initialized
    end)
  end)

  after_each(function()
    vim.cmd.redraw()
    assert.is_nil(vim.g.evil)
  end)

  ---No control character, no turned text; and none of it in a winbar as an item.
  local function is_clean(window)
    for _, line in ipairs(desk.lines(window)) do
      assert.is_nil(line:find('[%z\1-\31\127]'), line)
      assert.is_nil(line:find('\226\128\174', 1, true), line)
    end
    local bar = vim.api.nvim_eval_statusline(vim.wo[window].winbar, { winid = window }).str
    assert.is_nil(bar:find('[%z\1-\31]'))
    local buffer = vim.api.nvim_win_get_buf(window)
    assert.is_false(vim.bo[buffer].modeline)
    assert.is_false(vim.bo[buffer].modifiable)
    assert.are_not.equal('lua', vim.bo[buffer].filetype)
  end

  it('of an answer is shown as text, its citations alone lead anywhere', function()
    vim.cmd("Postil ask %{execute('let g:evil=1')}")
    local window = desk.shown('answer', 'Written by')
    is_clean(window)
    assert.are.equal("%%{execute('let g:evil=1')}", desk.title(window))
    local text = desk.text(window)
    assert.matches('Fine [1] and red [7].', text, 1, true)
    assert.is_nil(text:find('not ours'))
    assert.is_nil(text:find('never shown'))
    local said = desk.told(function()
      desk.put_on(window, '%[click%]')
      desk.press('<CR>')
    end)
    assert.are.equal('Postil: no source is named on this line', said)
    desk.put_on(window, 'let g:evil')
    assert.matches(
      'no source',
      desk.told(function()
        desk.press('<CR>')
      end)
    )
    desk.put_on(window, 'Fine')
    desk.press('<CR>')
    assert.are.equal('/tmp/a%{b}.md', vim.api.nvim_buf_get_name(0))
  end)

  it('is streamed, and what comes in its place replaces it', function()
    vim.cmd('Postil ask replace')
    desk.shown('answer', 'in its place')
    assert.is_nil(desk.text(desk.window('answer')):find('Fine'))
    desk.shown('answer', 'Written by')
  end)

  it('stops with <C-c>, and what was written stays', function()
    vim.cmd('Postil ask endless')
    local window = desk.shown('answer', 'more more')
    vim.api.nvim_set_current_win(window)
    desk.press('<C-c>')
    desk.eventually('the stop', function()
      return desk.title(window) == 'stopped: endless'
    end)
    local text = desk.text(window)
    vim.wait(100)
    assert.are.equal(text, desk.text(window))
    assert.matches('more more', text, 1, true)
  end)

  it('stops when the split is closed', function()
    vim.cmd('Postil ask endless')
    desk.shown('answer', 'more more')
    vim.api.nvim_set_current_win(desk.window('answer'))
    desk.press('q')
    assert.are.equal('stopped', require('postil.answer').last().phase)
  end)

  it('leaves no answer waiting for a server that has ended', function()
    vim.cmd('Postil ask endless')
    local window = desk.shown('answer', 'more more')
    vim.lsp.get_clients({ name = 'postil' })[1]:stop(true)
    desk.eventually('the failure', function()
      return desk.title(window) == 'failed: endless'
    end)
    assert.matches('the server has ended', desk.text(window), 1, true)
  end)

  it('of related notes is text', function()
    vim.fn.setline(1, 'some words')
    vim.cmd('Postil related')
    is_clean(desk.shown('related', '50 %%'))
  end)

  it('of hits is a line each in lists', function()
    local given = desk.chosen('select', function()
      vim.cmd('Postil search x')
    end)
    assert.is_nil(given.labels[1]:find('[%z\1-\31]'))
    assert.matches('^a%%{b}%.md:1 a b ', given.labels[1])
    vim.cmd('Postil! search x')
    desk.eventually('the quickfix list', function()
      return vim.fn.getqflist({ title = 0 }).title == 'Postil: x'
    end)
    vim.cmd.cclose()
  end)

  it('of commits and their changes is text', function()
    vim.cmd('Postil history x')
    is_clean(desk.shown('history', '1970%-01%-01 aaaaaaaaaa [^\n]+%) %[side%]'))
    desk.press('<CR>')
    is_clean(desk.shown('diff', 'Fine'))
  end)

  it('of a document of ours has no modeline', function()
    vim.cmd.edit('postil:///commit/0/a.diff')
    is_clean(0)
    assert.are.equal('diff', vim.bo.filetype)
    assert.is_true(vim.bo.readonly)
    assert.are.equal('manual', vim.wo.foldmethod)
    assert.matches('Fine', desk.text(0))
  end)
end)
