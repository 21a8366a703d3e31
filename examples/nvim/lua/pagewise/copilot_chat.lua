---A function of CopilotChat.nvim, which sends text alone: `functions = { pdf = require("pagewise.copilot_chat").pdf }`.
---
---The plugin does not say when its history is emptied, so nothing counts as held: each call sends what it asks for.
local pagewise = require("pagewise")

local M = {}

---Waits for the pages inside the plugin's coroutine.
---@param request pagewise.Request
---@return pagewise.Error? err, pagewise.Answer? answer
local function read(request)
  return require("plenary.async").wrap(function(done)
    pagewise.get_file(request, done)
  end, 1)()
end

---@param answer pagewise.Answer
---@return string
local function text_of(answer)
  local texts = {}
  for _, block in ipairs(answer.content) do
    texts[#texts + 1] = block.text
  end
  return table.concat(texts, "\n\n")
end

M.pdf = {
  group = "copilot",
  uri = "pdf://{path}",
  description = "Reads a PDF as Markdown: without pages a summary (contents, what pages cost), with pages those pages.",
  schema = {
    type = "object",
    required = { "path" },
    properties = {
      path = { type = "string", description = "Path of the PDF" },
      pages = { type = "string", description = 'Pages, from 1: "3", "1-5", "label:iv", "section:Preface"' },
    },
  },
  ---@param input { path: string, pages?: string }
  ---@return { uri: string, name: string, mimetype: string, data: string }[]
  resolve = function(input)
    local err, answer = read({ file = input.path, pages = input.pages, as = input.pages and "markdown" or nil })
    if not answer then
      error(err and err.message or "no answer", 0)
    end
    local place = input.pages and ("#page=" .. input.pages) or ""
    return {
      {
        uri = ("pdf://%s%s"):format(input.path, place),
        name = input.path,
        mimetype = "text/markdown",
        data = text_of(answer),
      },
    }
  end,
}

return M
