std = 'luajit'
globals = { 'vim' } -- whose fields are Neovim's way of setting options, variables and handlers
max_line_length = 120
