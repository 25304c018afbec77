-- :checkhealth postil

local M = {}

local health = vim.health

local function check_editor()
  health.start('Postil: the editor')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()):gsub('%+.*', ''))
  else
    health.error('Neovim 0.10 or newer is needed')
  end
  if pcall(vim.treesitter.language.add, 'markdown') then
    health.ok('answers are highlighted: there is a parser of Markdown')
  else
    health.warn('there is no tree-sitter parser of Markdown: answers are highlighted less well')
  end
  local picker = require('postil.pick').picker()
  health.info('lists are shown with ' .. (picker == 'select' and 'vim.ui.select' or picker))
end

---@return boolean
local function check_program()
  health.start('Postil: the server')
  local command, problem = require('postil.server').command(require('postil.server').root())
  if not command then
    health.error(problem --[[@as string]])
    return false
  end
  local ok, done = pcall(function()
    return vim.system({ command[1], '--version' }, { timeout = 20000 }):wait()
  end)
  if ok and done.code == 0 then
    health.ok(('%s, %s'):format(command[1], vim.trim(done.stdout)))
    return true
  end
  health.error(command[1] .. ' can not be run', { ok and vim.trim(done.stderr or '') or tostring(done) })
  return false
end

---@param client vim.lsp.Client
local function check_folders(client)
  local done = false
  require('postil.client').request('postil/status', vim.empty_dict(), function(result)
    done = true
    for _, folder in ipairs(result.folders) do
      local said = folder.indexed and ('%d files, %d commits'):format(folder.files, folder.commits) or 'not indexed yet'
      local tell = folder.indexed and health.ok or health.warn
      tell(('%s: %s'):format(vim.uri_to_fname(folder.uri), said))
    end
  end, {
    buffer = next(client.attached_buffers),
    failed = function(message)
      done = true
      health.error(message)
    end,
  })
  vim.wait(10000, function()
    return done
  end, 20)
  if not done then
    health.error('the server did not answer within ten seconds', { 'see :Postil log' })
  end
end

local function check_clients()
  health.start('Postil: what runs')
  local running = require('postil.client').running()
  if #running == 0 then
    local root = require('postil.server').root()
    health.info(
      root and 'no server runs; it starts with the first file of ' .. root
        or 'no server runs, and the current folder is in none that it would run for'
    )
  end
  for _, client in ipairs(running) do
    check_folders(client)
  end
end

function M.check()
  check_editor()
  if check_program() then
    check_clients()
  end
end

return M
