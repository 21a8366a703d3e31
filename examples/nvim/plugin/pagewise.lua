-- Commands and read hooks. The modules are loaded when one of them is first used.
if vim.g.loaded_pagewise then
  return
end
vim.g.loaded_pagewise = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("pagewise needs Neovim 0.10 or later", vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command("Pagewise", function(command)
  require("pagewise.commands").open(command)
end, {
  nargs = "+",
  desc = "Show pages of a PDF as Markdown",
  complete = function(lead, line, position)
    return require("pagewise.commands").complete(lead, line, position)
  end,
})

vim.api.nvim_create_user_command("PagewiseSearch", function(command)
  require("pagewise.commands").search(command)
end, { nargs = "+", bang = true, desc = "Search the PDF of this window, or the PDFs of the working directory" })

vim.api.nvim_create_user_command("PagewiseTables", function(command)
  require("pagewise.commands").tables(command)
end, { nargs = "?", desc = "Open the tables of pages as CSV" })

local group = vim.api.nvim_create_augroup("pagewise", { clear = true })

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "pagewise://*",
  desc = "Read pages of a PDF as Markdown",
  callback = function(event)
    require("pagewise.view").read(event.buf)
  end,
})

-- A setting, since Neovim itself opens a PDF as bytes and other plugins may want to open it.
if vim.g.pagewise_open_pdf then
  vim.api.nvim_create_autocmd("BufReadCmd", {
    group = group,
    pattern = { "*.pdf", "*.PDF" },
    desc = "Read a PDF as Markdown",
    callback = function(event)
      require("pagewise.view").read(event.buf)
    end,
  })
end
