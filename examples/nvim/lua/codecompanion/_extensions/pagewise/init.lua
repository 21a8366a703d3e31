---An extension of codecompanion.nvim: the tool `get_file`, and the slash commands `/pdf` and `/pdf_held`.
---
---Pages become the messages that the plugin itself makes of documents and images, so each adapter writes them as its
---provider takes them. What the chat lost, by compaction or because its user removed it, is forgotten and sent again.
local attach = require("codecompanion._extensions.pagewise.attach")
local cli = require("pagewise.cli")
local pagewise = require("pagewise")

local Extension = {}

---@class pagewise.companion.Options
---@field form? string The form of pages, whatever the adapter takes
---@field max_tokens? integer Tokens of pages in one answer
---@field require_approval? boolean Ask before a file is read
---@field settings? table Settings of pagewise itself

---@type pagewise.companion.Options
local options = {}

---What an adapter can send decides the form of pages.
---@param adapter table
---@return string
local function form_for(adapter)
  if options.form then
    return options.form
  end
  local able = adapter.opts or {}
  return able.documents and "document" or able.vision and "image" or "markdown"
end

---Reads pages for a chat.
---@param chat CodeCompanion.Chat
---@param request { file: string, pages?: string, force?: boolean }
---@param on_done fun(err?: pagewise.Error, parts?: pagewise.companion.Parts)
---@param on_job? fun(job: pagewise.Job)
local function read(chat, request, on_done, on_job)
  local companion = attach.of(chat)
  companion:forget_lost(function()
    local job = companion.memory:get_file({
      file = request.file,
      pages = request.pages,
      force = request.force,
      as = request.pages and form_for(chat.adapter) or nil,
      max_tokens = options.max_tokens,
      api = "anthropic",
    }, function(err, answer)
      on_done(err, answer and attach.parts(answer, request.file))
    end)
    if on_job then
      on_job(job)
    end
  end)
end

---@param err pagewise.Error
---@return string
local function message_of(err)
  return err.hint and ("%s (%s)\n%s"):format(err.message, err.code, err.hint)
    or ("%s (%s)"):format(err.message, err.code)
end

---@type table
local tool = {
  name = "get_file",
  cmds = {
    ---@param self CodeCompanion.Tools
    ---@param arguments { file_path: string, pages?: string, force?: boolean }
    ---@param opts { output_cb: fun(result: table), register_job: fun(job: table) }
    function(self, arguments, opts)
      if type(arguments.file_path) ~= "string" or arguments.file_path == "" then
        return { status = "error", data = "Parameter 'file_path' is required" }
      end
      local pages = type(arguments.pages) == "string" and arguments.pages ~= "" and arguments.pages or nil
      local request = { file = arguments.file_path, pages = pages, force = arguments.force == true }
      read(self.chat, request, function(err, parts)
        if err then
          return opts.output_cb({ status = "error", data = message_of(err) })
        end
        opts.output_cb({ status = "success", data = parts })
      end, opts.register_job)
    end,
  },
  schema = {
    type = "function",
    ["function"] = {
      name = "get_file",
      description = "Reads a PDF: without pages a summary (contents, what pages cost), with pages those pages, each sent "
        .. "once per chat. Also reads text files and images.",
      parameters = {
        type = "object",
        properties = {
          file_path = { type = "string", description = "Path or URL" },
          pages = { type = "string", description = 'Pages, from 1: "3", "1-5", "label:iv", "section:Preface"' },
          force = { type = "boolean", description = "Send pages again that the chat holds already" },
        },
        required = { "file_path" },
      },
    },
  },
  output = {
    ---@param self CodeCompanion.Tools.Tool
    prompt = function(self)
      return ("Read `%s`?"):format(self.args.file_path)
    end,
    ---@param self CodeCompanion.Tools.Tool
    ---@param stdout pagewise.companion.Parts[]
    ---@param meta { tools: CodeCompanion.Tools }
    success = function(self, stdout, meta)
      local parts, chat = stdout[#stdout], meta.tools.chat
      attach.of(chat):queue(parts)
      local pages = self.args.pages and (", pages " .. self.args.pages) or ""
      chat:add_tool_output(self, parts.text, ("Read `%s`%s"):format(self.args.file_path, pages))
    end,
    ---@param self CodeCompanion.Tools.Tool
    ---@param stderr string[]
    ---@param meta { tools: CodeCompanion.Tools }
    error = function(self, stderr, meta)
      meta.tools.chat:add_tool_output(self, vim.iter(stderr or {}):flatten():join("\n"))
    end,
  },
}

---`/pdf`: asks for a file and pages, and puts them into the chat.
---@param chat CodeCompanion.Chat
local function pdf_command(chat)
  vim.ui.input({ prompt = "PDF: ", completion = "file" }, function(file)
    if not file or file == "" then
      return
    end
    vim.ui.input({ prompt = "Pages (none for a summary): " }, function(pages)
      if not pages then
        return
      end
      Extension.exports.add(chat, file, pages ~= "" and pages or nil)
    end)
  end)
end

---`/pdf_held`: tells what the chat holds.
---@param chat CodeCompanion.Chat
local function held_command(chat)
  attach.of(chat).memory:held(function(err, status)
    if err then
      return cli.notify(err)
    end
    local lines = {}
    for _, file in ipairs(status.files) do
      local forms = {}
      for form, pages in vim.spairs(type(file.pages) == "table" and file.pages or {}) do
        forms[#forms + 1] = ("pages %s as %s"):format(pages, form)
      end
      lines[#lines + 1] = ("%s: %s"):format(file.path, #forms > 0 and table.concat(forms, ", ") or "summary")
    end
    vim.notify(#lines > 0 and table.concat(lines, "\n") or "This chat holds no file", vim.log.levels.INFO)
  end)
end

Extension.exports = {
  ---Puts pages into a chat, as `/pdf` does.
  ---@param chat CodeCompanion.Chat
  ---@param file string
  ---@param pages? string
  ---@param on_done? fun(err?: pagewise.Error)
  add = function(chat, file, pages, on_done)
    read(chat, { file = file, pages = pages }, function(err, parts)
      if err then
        cli.notify(err)
      else
        attach.of(chat):add(parts, file, pages)
      end
      if on_done then
        on_done(err)
      end
    end)
  end,
  ---The memory of a chat.
  ---@param chat CodeCompanion.Chat
  ---@return pagewise.Chat
  memory = function(chat)
    return attach.of(chat).memory
  end,
}

---@param given? pagewise.companion.Options
function Extension.setup(given)
  options = given or {}
  if given and given.settings then
    pagewise.setup(given.settings)
  end
  local chat = require("codecompanion.config").interactions.chat
  chat.tools.get_file = {
    callback = function()
      return tool
    end,
    description = "Read PDFs page by page, each page once",
    opts = { require_approval_before = options.require_approval ~= false },
  }
  chat.slash_commands.pdf = { callback = pdf_command, description = "Insert pages of a PDF", opts = {} }
  chat.slash_commands.pdf_held =
    { callback = held_command, description = "Show the pages that this chat holds", opts = {} }
end

return Extension
