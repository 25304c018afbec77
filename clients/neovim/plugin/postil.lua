-- The command, the <Plug> maps and what listens. What they do is loaded when it is used.

if vim.g.loaded_postil then
  return
end
vim.g.loaded_postil = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('Postil needs Neovim 0.10 or newer', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Postil', function(event)
  require('postil.command').run(event)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Ask the notes, the code and the history of this folder',
  complete = function(typed, line, position)
    return require('postil.command').complete(typed, line, position)
  end,
})

-- a range goes with what takes one: from visual mode it is the selection
for name, modes in pairs({
  ask = { 'n', 'x' },
  summarise = { 'n', 'x' },
  history = { 'n', 'x' },
  related = { 'n' },
  search = { 'n' },
  past = { 'n' },
  tags = { 'n' },
  status = { 'n' },
  why = { 'n' },
  pause = { 'n' },
  resume = { 'n' },
  log = { 'n' },
}) do
  vim.keymap.set(modes, ('<Plug>(postil-%s)'):format(name), (':Postil %s<CR>'):format(name), { silent = true })
end

vim.api.nvim_set_hl(0, 'PostilCitation', { link = 'Special', default = true })
vim.api.nvim_set_hl(0, 'PostilSource', { link = 'Directory', default = true })
vim.api.nvim_set_hl(0, 'PostilTitle', { link = 'Title', default = true })
vim.api.nvim_set_hl(0, 'PostilQuiet', { link = 'Comment', default = true })

require('postil.own_commands').register()

local group = vim.api.nvim_create_augroup('postil', {})
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'postil://*',
  callback = function(event)
    require('postil.content').read(event.buf, event.match)
  end,
})
vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    require('postil.beside').attached(event.buf)
  end,
})
vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'postil' then
      require('postil.statusline').progress({ client = client.id, value = event.data.params.value })
    end
  end,
})
vim.api.nvim_create_autocmd('WinNew', {
  group = group,
  callback = function()
    local window = vim.api.nvim_get_current_win()
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      require('postil.float').made(window)
    end
  end,
})
vim.api.nvim_create_autocmd('WinEnter', {
  group = group,
  callback = function()
    if vim.w['textDocument/hover'] then
      require('postil.float').entered()
    end
  end,
})
