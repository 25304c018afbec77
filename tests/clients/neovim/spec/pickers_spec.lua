-- Lists, in each of the pickers that one may have; stand-ins take their places and hold what the real ones ask for.
local desk = require('desk')

local MODULES = {
  'snacks',
  'telescope',
  'telescope.actions',
  'telescope.actions.set',
  'telescope.actions.state',
  'telescope.config',
  'telescope.finders',
  'telescope.pickers',
  'fzf-lua',
}

---As the real one draws and opens what is selected: it takes the value for a path where there is none.
---@return table shown of the picker that was opened last
local function stand_in_for_telescope()
  local shown, replaced, selected = {}, {}, nil
  local function previewed(entry)
    local path = entry.path or entry.filename or entry.value
    assert(type(path) == 'string', 'path: expected string, got ' .. type(path))
    return path
  end
  local function select()
    for _, each in ipairs(replaced) do
      if each.condition() then
        return each.call('prompt')
      end
    end
    shown.edited = previewed(selected)
  end
  package.loaded.telescope = {}
  package.loaded['telescope.config'] = {
    values = {
      generic_sorter = function()
        return 'sorter'
      end,
      grep_previewer = function()
        return 'previewer'
      end,
    },
  }
  package.loaded['telescope.finders'] = {
    new_table = function(given)
      return vim.tbl_map(given.entry_maker, given.results)
    end,
  }
  package.loaded['telescope.actions'] = {
    select_default = {
      replace = function(_, call)
        shown.enter = call
      end,
    },
    close = function(prompt)
      shown.closed = prompt
    end,
  }
  package.loaded['telescope.actions.set'] = {
    select = {
      replace_if = function(_, condition, call)
        table.insert(replaced, { condition = condition, call = call })
      end,
    },
  }
  package.loaded['telescope.actions.state'] = {
    get_selected_entry = function()
      return selected
    end,
  }
  package.loaded['telescope.pickers'] = {
    new = function(_, options)
      assert.is_true(options.attach_mappings('prompt', function() end))
      shown.title, shown.entries = options.prompt_title, options.finder
      shown.previews = vim.tbl_map(previewed, options.finder)
      return { find = function() end }
    end,
  }
  function shown.press(number, key)
    selected = shown.entries[number]
    if key == '<CR>' then
      shown.enter('prompt')
    else
      select()
    end
  end
  return shown
end

describe('a list', function()
  local pick = require('postil.pick')
  local chosen

  -- a commit, two of one label that are told apart all the same, and a file
  local items = {
    { sha = ('a'):rep(40), title = 'add jitter', document = 'postil:/commit/0/a.diff' },
    { uri = vim.uri_from_fname(desk.root .. '/docs/retries.md'), name = 'same', number = 2 },
    { uri = vim.uri_from_fname(desk.root .. '/docs/retries.md'), name = 'same', number = 3 },
  }
  for _, item in ipairs({ items[2], items[3] }) do
    item.range = { start = { line = 4, character = 0 }, ['end'] = { line = 5, character = 0 } }
  end

  local function choose()
    pick.choose(items, {
      title = 'Places',
      choose = function(item)
        chosen = item
      end,
    })
  end

  before_each(function()
    chosen = nil
    desk.clear()
    require('postil').setup({ picker = 'auto' })
  end)

  after_each(function()
    for _, module in ipairs(MODULES) do
      package.loaded[module] = nil
    end
    require('postil').setup({ picker = 'select' })
  end)

  it('is shown in the picker that is there, which opens what is chosen', function()
    local shown
    package.loaded.snacks = {
      picker = function(options)
        shown = options
      end,
    }
    desk.edit('docs/retries.md')
    vim.cmd('Postil search poison jobs')
    desk.eventually('the picker', function()
      return shown
    end)
    assert.are.equal('poison jobs', shown.title)
    local second = shown.items[2]
    assert.are.same({ { second.text } }, shown.format(second))
    assert.is_true(vim.startswith(second.text, second.file:sub(#desk.root + 2) .. ':' .. second.pos[1]))
    shown.confirm({ close = function() end }, second)
    assert.are.same({ second.file, second.pos[1] }, { vim.api.nvim_buf_get_name(0), vim.fn.line('.') })
  end)

  it('is shown in Telescope, in which each key opens what is no file', function()
    local shown = stand_in_for_telescope()
    choose()
    assert.are.equal('Places', shown.title)
    local file = desk.root .. '/docs/retries.md'
    assert.are.same({ '', file, file }, shown.previews)
    assert.are.same({ 'aaaaaaaaaa add jitter', nil, nil }, { shown.entries[1].display, shown.entries[1].path, nil })
    assert.are.equal(shown.entries[2].display, shown.entries[3].display)
    assert.are.same({ file, 5 }, { shown.entries[3].path, shown.entries[3].lnum })
    for number, item in ipairs(items) do
      shown.press(number, '<CR>')
      assert.are.same({ 'prompt', item }, { shown.closed, chosen })
    end
    chosen = nil
    shown.press(3, '<C-v>')
    assert.are.same({ file, nil }, { shown.edited, chosen }, 'a file goes into a split as Telescope does it')
    shown.press(1, '<C-v>')
    assert.are.equal(items[1], chosen)
    chosen = nil
    shown.press(4, '<CR>')
    assert.is_nil(chosen, 'nothing is selected')
  end)

  it('is shown in fzf-lua, which hands back lines', function()
    local lines, options
    package.loaded['fzf-lua'] = {
      fzf_exec = function(...)
        lines, options = ...
      end,
    }
    choose()
    assert.are.equal('Places> ', options.prompt)
    assert.are.equal('1\taaaaaaaaaa add jitter', lines[1])
    assert.are.equal(lines[2]:sub(2), lines[3]:sub(2))
    for number, item in ipairs(items) do
      options.actions.default({ lines[number] })
      assert.are.equal(item, chosen)
    end
    chosen = nil
    for _, nothing in ipairs({ {}, { '' } }) do
      options.actions.default(nothing)
    end
    options.actions.default(nil)
    assert.is_nil(chosen)
  end)

  it('is shown in the first picker that is there, or in the one that is named', function()
    assert.are.equal('select', pick.picker())
    package.loaded['fzf-lua'] = {}
    assert.are.equal('fzf-lua', pick.picker())
    package.loaded.telescope = {}
    assert.are.equal('telescope', pick.picker())
    package.loaded.snacks = {}
    assert.are.equal('snacks', pick.picker())
    for _, name in ipairs({ 'snacks', 'telescope', 'fzf-lua', 'select' }) do
      require('postil').setup({ picker = name })
      assert.are.equal(name, pick.picker())
    end
    require('postil').setup({ picker = 'telescope' })
    package.loaded.telescope = nil
    assert.are.equal('select', pick.picker(), 'one that is named and is not there')
  end)

  it('is shown by vim.ui.select where the picker fails', function()
    package.loaded.snacks = { picker = 'of another version' }
    desk.edit('docs/retries.md')
    local said = desk.told(function()
      desk.chosen('select', function()
        vim.cmd('Postil search poison jobs')
      end)
    end)
    assert.matches('^Postil: snacks failed: ', said)
  end)

  it('of nothing says so', function()
    desk.edit('docs/retries.md')
    local said = desk.told(function()
      require('postil.pick').choose({}, { title = 'x' })
    end)
    assert.are.equal('Postil: nothing found', said)
  end)
end)
