local markdown = require('postil.markdown')

describe('Markdown', function()
  it('is code inside of ticks and fences, and nowhere else', function()
    local prose = markdown.prose({
      'a `[1]` b [2]',
      '``x ` [1]`` [2]',
      '\\`no code\\` [1] `open [2]',
      '```lua',
      '[1]',
      '~~~',
      '```',
      'end `a``b` [1]',
    })
    assert.are.same({
      [1] = 'a       b [2]',
      [2] = '            [2]',
      [3] = '\\`no code\\` [1] `open [2]',
      [8] = 'end        [1]',
    }, prose)
  end)

  it('hides backslashes that are no text', function()
    local buffer = vim.api.nvim_create_buf(false, true)
    local namespace = vim.api.nvim_create_namespace('spec')
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { 'a\\_b `c\\_d` \\[1\\] \\n' })
    markdown.hide_escapes(buffer, namespace)
    local hidden = vim.tbl_map(function(mark)
      return mark[3]
    end, vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, {}))
    assert.are.same({ 1, 12, 15 }, hidden)
  end)
end)
