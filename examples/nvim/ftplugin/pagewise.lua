-- Keys of a buffer that shows pages. Each has a <Plug> name, and a map of the user's own is kept.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = 1

local keys = {
  { "]]", "<Plug>(pagewise-next-page)", "next_page", "Go to the next page" },
  { "[[", "<Plug>(pagewise-previous-page)", "previous_page", "Go to the previous page" },
  { "gO", "<Plug>(pagewise-outline)", "outline", "Show the outline" },
  { "gp", "<Plug>(pagewise-picture)", "picture", "Show or hide the picture of the page" },
  { "gC", "<Plug>(pagewise-tables)", "tables", "Open the tables of the page as CSV" },
}

for _, key in ipairs(keys) do
  local lhs, plug, action, description = unpack(key)
  vim.keymap.set("n", plug, function()
    require("pagewise.actions")[action](vim.v.count)
  end, { buffer = true, desc = description })
  if vim.fn.hasmapto(plug, "n") == 0 and not vim.g.pagewise_no_keys then
    vim.keymap.set("n", lhs, plug, { buffer = true, remap = true, desc = description })
  end
end

vim.opt_local.wrap = true
vim.opt_local.linebreak = true

vim.b.undo_ftplugin = "mapclear <buffer> | setlocal wrap< linebreak<"
