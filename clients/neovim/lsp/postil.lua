-- What `vim.lsp.enable('postil')` starts, on Neovim 0.11.
return require('postil.server').config()
