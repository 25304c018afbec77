-- Types into a long note in the real editor: nvim --clean --headless -c 'luafile keystrokes.lua'
-- KEYS_NOTE: the note; KEYS_SERVER: a program for `cmd`, or empty for no Postil; KEYS_COUNT, KEYS_EVERY_MS.
-- Prints JSON: milliseconds from each key until the editor has taken it, `on_lines` and autocommands included.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local server, count = vim.env.KEYS_SERVER or '', tonumber(vim.env.KEYS_COUNT)
local every = tonumber(vim.env.KEYS_EVERY_MS)
local words = 'the lease of a job ends when its worker dies '
local READY_MS, REST_MS = 60000, 1500

if server ~= '' then
  vim.opt.runtimepath:prepend(vim.fs.normalize(here .. '/../clients/neovim'))
  vim.cmd('runtime plugin/postil.lua')
  -- each key is told at once, which is the most that it can cost: a rest is then from the key, not from the end of the
  -- 150 ms by which Neovim puts off what it tells of a change
  vim.lsp.config('postil', { flags = { debounce_text_changes = 0 } })
  require('postil').setup({ cmd = server })
end
vim.cmd.edit(vim.fn.fnameescape(vim.env.KEYS_NOTE))
if server ~= '' then
  vim.wait(READY_MS, function()
    local client = vim.lsp.get_clients({ name = 'postil', bufnr = 0 })[1]
    return client and client.initialized
  end, 50)
  -- what it loads for the first hover is not the keys' cost
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  vim.lsp.buf_request_sync(0, 'textDocument/hover', params, READY_MS)
  vim.cmd('Postil related') -- all that asks by itself
  vim.wait(2 * REST_MS)
end

local took, typed, pressed = {}, 0, nil
vim.api.nvim_create_autocmd('TextChangedI', {
  callback = function()
    if pressed then
      table.insert(took, (vim.uv.hrtime() - pressed) / 1e6)
      pressed = nil
    end
  end,
})

local function finish()
  io.stdout:write(vim.json.encode(took) .. '\n')
  vim.cmd('qall!')
end

local function key()
  if typed == count then
    vim.defer_fn(finish, REST_MS) -- what is asked after a rest is seen too
    return
  end
  typed = typed + 1
  local at = (typed - 1) % #words + 1
  pressed = vim.uv.hrtime()
  vim.api.nvim_input(words:sub(at, at))
  vim.defer_fn(key, every)
end

vim.api.nvim_win_set_cursor(0, { math.floor(vim.api.nvim_buf_line_count(0) / 2), 0 })
vim.api.nvim_input('o')
vim.defer_fn(key, 300)
