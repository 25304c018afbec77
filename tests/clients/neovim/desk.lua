-- What the specs share: the fixture workspace, waiting, and what stands in buffers.

local M = {}

M.root = assert(vim.env.POSTIL_TEST_ROOT, 'POSTIL_TEST_ROOT names the workspace')
M.tiny = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/tiny_server.py'
M.python = assert(vim.env.POSTIL_TEST_PYTHON)
local PATIENCE_MS = 20000

---The first true answer.
function M.eventually(what, call)
  local answer
  local ok = vim.wait(PATIENCE_MS, function()
    answer = call()
    return answer
  end, 10)
  assert(ok, what .. ' did not happen in time')
  return answer
end

---Open a file of the workspace with the real server attached and ready.
function M.edit(path)
  vim.cmd.edit(vim.fn.fnameescape(M.root .. '/' .. path))
  local buffer = vim.api.nvim_get_current_buf()
  local client = M.eventually('a ready server', function()
    local client = vim.lsp.get_clients({ name = 'postil', bufnr = buffer })[1]
    return client and client.initialized and client
  end)
  return buffer, client
end

---The window of a view of ours, or nil.
function M.window(kind)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.b[vim.api.nvim_win_get_buf(window)].postil_view == kind then
      return window
    end
  end
end

---What stands above a window.
function M.title(window)
  return (vim.wo[window].winbar:gsub('^ ', ''):gsub('%%<$', ''))
end

function M.lines(window)
  return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
end

function M.text(window)
  return table.concat(M.lines(window), '\n')
end

---The view of a kind once its text holds a pattern.
function M.shown(kind, pattern)
  return M.eventually(kind .. ' with ' .. pattern, function()
    local window = M.window(kind)
    return window and M.text(window):find(pattern) and window
  end)
end

---Put the cursor on the first place of a pattern in a window, and go there.
function M.put_on(window, pattern)
  vim.api.nvim_set_current_win(window)
  for row, line in ipairs(M.lines(window)) do
    local at = line:find(pattern)
    if at then
      vim.api.nvim_win_set_cursor(window, { row, at - 1 })
      return
    end
  end
  error(pattern .. ' stands nowhere in\n' .. M.text(window))
end

function M.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

---Where the cursor is: the path in the workspace, and the 1-based line.
function M.here()
  local name = vim.api.nvim_buf_get_name(0)
  return vim.startswith(name, M.root .. '/') and name:sub(#M.root + 2) or name, vim.api.nvim_win_get_cursor(0)[1]
end

---The id of the commit whose subject begins so.
function M.sha(subject)
  local command = { 'git', '-C', M.root, 'log', '--format=%H', '--fixed-strings', '--grep=' .. subject }
  return vim.trim(vim.fn.system(command)):match('%x+$')
end

---What the user was told while `call` ran, and until `done` is true of it.
function M.told(call, done)
  local said, notify = {}, vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  local ok, problem = pcall(function()
    call()
    M.eventually('a message', function()
      return done and done(said) or (not done and #said > 0)
    end)
  end)
  vim.notify = notify
  assert(ok, problem)
  return table.concat(said, '\n')
end

---The parameters of the requests of a method that a client was given while `call` ran, once there is one.
function M.sent(client, method, call)
  local sent, kept = {}, client.request
  client.request = function(self, name, params, ...)
    if name == method then
      table.insert(sent, params)
    end
    return kept(self, name, params, ...)
  end
  local ok, problem = pcall(function()
    call()
    M.eventually(method, function()
      return #sent > 0
    end)
  end)
  client.request = nil
  assert(ok, problem)
  return sent
end

---What vim.ui.select or vim.ui.input was given; it chooses the first, or answers `answer`.
function M.chosen(kind, call, answer)
  local given, kept = nil, vim.ui[kind]
  vim.ui[kind] = function(first, second, third)
    if kind == 'select' then
      given = { items = first, prompt = second.prompt, labels = vim.tbl_map(second.format_item or tostring, first) }
      third(first[1], 1)
    else
      given = first
      second(answer)
    end
  end
  local ok, problem = pcall(function()
    call()
    M.eventually('vim.ui.' .. kind, function()
      return given
    end)
  end)
  vim.ui[kind] = kept
  assert(ok, problem)
  return given
end

---One window on an empty buffer in the workspace, no other buffer.
function M.clear()
  vim.cmd('silent! tabonly | silent! only | silent! %bwipeout!')
  vim.cmd.cd(vim.fn.fnameescape(M.root))
end

---Every server has ended; one that starts is waited for, as it could not be told to end.
function M.stop_all()
  M.eventually('the start of the servers', function()
    return #vim.lsp.get_clients({ _uninitialized = true }) == #vim.lsp.get_clients()
  end)
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
  end
  M.eventually('the end of the servers', function()
    return #vim.lsp.get_clients({ _uninitialized = true }) == 0
  end)
end

return M
