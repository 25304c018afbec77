-- Beside another server of notes: what both can do is done once, by the other.
local desk = require('desk')
local HINTS_QUIET_MS = 400 -- the server's, after a change

---Edit a file with Postil and with the tiny server in one of its roles.
local function edit_with_both(file, role)
  require('postil').setup({ picker = 'select' })
  desk.clear()
  desk.stop_all()
  desk.edit(file)
  vim.lsp.start({ name = 'tiny', cmd = { desk.python, desk.tiny, role }, root_dir = desk.root })
  desk.eventually('both', function()
    return #vim.lsp.get_clients({ bufnr = 0 }) == 2
  end)
end

describe('beside another server of notes', function()
  setup(function()
    edit_with_both('docs/retries.md', 'notes')
  end)

  teardown(desk.stop_all)

  ---@return table<string, any> by client
  local function answers(method, pattern)
    desk.put_on(0, pattern)
    local params = vim.lsp.util.make_position_params(0, 'utf-16')
    params.context = method:match('references') and { includeDeclaration = true } or { triggerKind = 1 }
    local found = {}
    for id, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 10000) or {}) do
      if answer.result and not vim.tbl_isempty(answer.result) then
        table.insert(found, vim.lsp.get_client_by_id(id).name)
      end
    end
    table.sort(found)
    return found
  end

  for _, method in ipairs({ 'hover', 'definition', 'references', 'completion', 'documentSymbol' }) do
    it('there is one ' .. method .. ' of a link', function()
      desk.eventually('one answer', function()
        return vim.deep_equal({ 'tiny' }, answers('textDocument/' .. method, 'lease protocol%]%]'))
      end)
    end)
  end

  it('there is one rename', function()
    desk.eventually('one that can', function()
      local can = vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/rename' })
      return #can == 1 and can[1].name == 'tiny'
    end)
  end)

  it('there are the hints of the other alone', function()
    local client = vim.lsp.get_clients({ name = 'postil', bufnr = 0 })[1]
    local function sources()
      local found = vim.tbl_map(function(hint)
        return hint.source
      end, vim.diagnostic.get(0))
      table.sort(found)
      return found
    end
    ---The server has taken what was sent before, and answers.
    local function barrier()
      local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
      assert.is_nil(client:request_sync('postil/why', params, 20000, 0).err)
    end
    vim.fn.append(0, 'See [[no such note]].')
    barrier()
    vim.wait(2 * HINTS_QUIET_MS)
    barrier()
    barrier()
    assert.are.same({ 'tiny' }, sources())
    -- that it would have had one
    client.settings = { postil = { features = { diagnostics = true } } }
    client:notify('workspace/didChangeConfiguration', { settings = client.settings })
    vim.fn.append(1, '')
    desk.eventually('both hints', function()
      return vim.deep_equal({ 'postil', 'tiny' }, sources())
    end)
    vim.cmd('silent earlier 1f')
  end)
end)

describe('alone', function()
  after_each(desk.stop_all)

  it('or beside a server that knows no links, Postil does all of it', function()
    require('postil').setup({ picker = 'select' })
    desk.clear()
    local _, client = desk.edit('docs/retries.md')
    vim.lsp.start({ name = 'words', cmd = { desk.python, desk.tiny, 'words' }, root_dir = desk.root })
    desk.eventually('both', function()
      return #vim.lsp.get_clients({ bufnr = 0 }) == 2
    end)
    for _, method in ipairs({ 'hover', 'definition', 'references', 'completion', 'rename' }) do
      assert.is_true(client:supports_method('textDocument/' .. method), method)
    end
    vim.fn.append(0, 'See [[no such note]].')
    desk.eventually('a hint', function()
      return #vim.diagnostic.get(0) == 1
    end)
    vim.cmd('silent undo')
  end)
end)

describe('beside a server of code', function()
  after_each(desk.stop_all)

  it('Postil defines nothing, and tells in a hover what that one does not', function()
    edit_with_both('millrace/retry.py', 'code')
    desk.put_on(0, 'delay%(')
    local params = vim.lsp.util.make_position_params(0, 'utf-16')
    local function answers(method)
      local found = {}
      for id, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 10000)) do
        assert.is_nil(answer.err)
        if answer.result and not vim.tbl_isempty(answer.result) then
          found[vim.lsp.get_client_by_id(id).name] = answer.result
        end
      end
      return found
    end
    assert.are.same({ 'tiny' }, vim.tbl_keys(answers('definition')))
    local hovers = answers('hover')
    assert.matches('def ', hovers.tiny.contents.value, 1, true)
    assert.matches('full jitter', hovers.postil.contents.value, 1, true)
    assert.is_nil(hovers.postil.contents.value:find('def ', 1, true))
  end)
end)
