-- Runs the specs with busted inside Neovim: nvim --clean --headless -c 'luafile run.lua'
-- (not with -l, which has no screen: drawing one, as the statusline does, ends it)
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = ('%s/?.lua;/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;%s'):format(here, package.path)
package.cpath = '/usr/lib/x86_64-linux-gnu/lua/5.1/?.so;/usr/lib/aarch64-linux-gnu/lua/5.1/?.so;' .. package.cpath
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. '/../../../clients/neovim'))
vim.cmd('runtime plugin/postil.lua')
rawset(_G, 'arg', vim.split(vim.env.POSTIL_TEST_SPECS or '-o TAP spec', ' ')) -- arguments of busted
local ok = pcall(require('busted.runner'), { standalone = false }) -- it raises an error where a spec failed
vim.cmd(ok and 'qall!' or 'cquit')
