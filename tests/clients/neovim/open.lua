-- Opens a note with the plugin in the real editor and stays: nvim --clean --headless -c 'luafile open.lua'
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. '/../../../clients/neovim'))
vim.cmd('runtime plugin/postil.lua')
vim.lsp.enable('postil')
require('desk').edit('docs/retries.md')
io.stdout:write('attached\n')
io.stdout:flush()
