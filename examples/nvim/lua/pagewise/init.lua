---PDFs in Neovim: pages as Markdown for people, and as content blocks for the models of chat plugins.
local M = {}

---Changes settings; needed only for that. See |pagewise-settings|.
---@param settings? table
function M.setup(settings)
  require("pagewise.config").set(settings)
end

---Shows pages of a PDF in this window.
---@param file string
---@param pages? string
function M.open(file, pages)
  local name = require("pagewise.uri").build(file, pages)
  vim.cmd({ cmd = "edit", args = { name }, magic = { file = false } })
end

---Reads a file for a model. See |pagewise.Request|.
---@param request pagewise.Request
---@param on_done fun(err?: pagewise.Error, answer?: pagewise.Answer)
---@return pagewise.Job
function M.get_file(request, on_done)
  return require("pagewise.chat").get_file(request, on_done)
end

---The memory of one chat: pages are sent to it once, and it hears what changed.
---@param conversation string
---@return pagewise.Chat
function M.chat(conversation)
  return require("pagewise.chat").new(conversation)
end

return M
