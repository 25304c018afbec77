-- What lenses and code actions of the server do here.
local desk = require('desk')

describe('a lens', function()
  setup(function()
    require('postil').setup({ picker = 'select' })
  end)

  before_each(desk.clear)

  local function run(path, title)
    local buffer, client = desk.edit(path)
    local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
    local lenses = client:request_sync('textDocument/codeLens', params, 10000, buffer).result
    for _, lens in ipairs(lenses) do
      local resolved = client:request_sync('codeLens/resolve', lens, 10000, buffer)
      local command = lens.command or resolved.result.command
      if command.title:find(title) then
        client:exec_cmd(command, { bufnr = buffer })
        return
      end
    end
    error('no lens ' .. title)
  end

  it('above a note lists what is related', function()
    local given = desk.chosen('select', function()
      run('docs/retries.md', '^Related')
    end)
    assert.are.equal('Related notes', given.prompt)
  end)

  it('above a note summarises it', function()
    run('docs/retries.md', '^Summarise')
    desk.shown('answer', '%[%d%]')
    assert.matches('Summary of docs/retries.md$', desk.title(desk.window('answer')))
  end)

  it('above code shows its history', function()
    run('millrace/retry.py', '^Last change')
    local window = desk.shown('history', 'add full jitter')
    assert.are.equal('History · millrace/retry.py', desk.title(window))
  end)

  it('of an action asks about the selection', function()
    desk.edit('docs/retries.md')
    local line = vim.fn.search('^A job that has used up')
    local range = { start = { line = line - 1, character = 0 }, ['end'] = { line = line, character = 0 } }
    local given = { textDocument = vim.lsp.util.make_text_document_params(0), range = range }
    local asked = desk.chosen('input', function()
      vim.lsp.commands['postil.ask']({ arguments = { given } }, {})
    end, 'What becomes of these jobs?')
    assert.are.equal('Ask Postil: ', asked.prompt)
    desk.shown('answer', '%[%d%]')
  end)
end)
