-- With the real codecompanion.nvim and plenary.nvim, whose folders the environment names.
local T = _G.T

local plugin, plenary = vim.env.CODECOMPANION, vim.env.PLENARY
if not plugin or not plenary or not vim.uv.fs_stat(plugin) or not vim.uv.fs_stat(plenary) then
  return T.leave_out("codecompanion.nvim: CODECOMPANION and PLENARY name no folders of the plugins")
end
vim.opt.runtimepath:append({ plenary, plugin })
for _, name in ipairs({ "ANTHROPIC_API_KEY", "OPENAI_API_KEY" }) do
  vim.env[name] = "none"
end

local codecompanion = require("codecompanion")
codecompanion.setup({
  interactions = { chat = { adapter = "anthropic" } },
  extensions = { pagewise = { opts = { require_approval = false } } },
  opts = { log_level = "ERROR" },
})
local extension = codecompanion.extensions.pagewise

-- Nothing is sent to a provider: what would be submitted is kept here.
require("plenary.curl").get = function()
  return { status = 404, body = "{}" }
end
local Chat = require("codecompanion.interactions.chat")
local submitted = {}
function Chat:_submit_http(payload)
  table.insert(submitted, payload)
end

local function open(adapter)
  submitted = {}
  require("pagewise").setup({ command = { T.program } })
  local adapters = require("codecompanion.adapters")
  local chat =
    Chat.new({ adapter = adapters.resolve(adapter or "anthropic"), buffer_context = { bufnr = 0, filetype = "" } })
  return assert(chat)
end

local calls = 0

---A model's call of the tool; gives the call's id.
local function call(arguments)
  calls = calls + 1
  local id = "call_" .. calls
  return {
    id = id,
    call_id = id,
    type = "function",
    ["function"] = { name = "get_file", arguments = vim.json.encode(arguments) },
  }
end

---Plays a turn of the model that calls tools, and gives the messages that the provider is sent next.
local function turn(chat, tool_calls)
  local before = #submitted
  chat:add_message({ role = "llm", content = "", tool_calls = tool_calls }, { visible = false })
  chat.tools:execute(chat, tool_calls)
  T.wait("the results are submitted", function()
    return #submitted > before
  end)
  local handlers = chat.adapter.handlers
  local build = handlers.request and handlers.request.build_messages or handlers.form_messages
  local form = build(chat.adapter, vim.deepcopy(submitted[#submitted].messages))
  return form.messages or form.input
end

---All content blocks of a kind, in order.
local function blocks(messages, kind)
  local found = {}
  for _, message in ipairs(messages) do
    for _, block in ipairs(type(message.content) == "table" and message.content or {}) do
      if block.type == kind then
        table.insert(found, block)
      end
    end
  end
  return found
end

T.test("codecompanion: pages reach Anthropic as documents, after the results of all tools", function()
  local chat = open()
  local file = T.fixture("latex.pdf")
  local messages = turn(chat, { call({ file_path = file, pages = "2" }), call({ file_path = file, pages = "3-4" }) })
  local last = messages[#messages].content
  local kinds = vim.tbl_map(function(block)
    return block.type
  end, last)
  T.equal(kinds, { "tool_result", "tool_result", "document", "document", "document" })
  T.equal(last[3].source.media_type, "application/pdf")
  T.equal(vim.base64.decode(last[3].source.data):sub(1, 5), "%PDF-")
  T.contains(last[2].content, "Attached below, in this order: ")
  T.contains(last[2].content, "latex.pdf - Page 3; ")
  chat:close()
end)

T.test("codecompanion: a page is sent once, and again once the chat has lost it", function()
  local chat = open()
  local request = { file_path = T.fixture("latex.pdf"), pages = "2" }
  T.equal(#blocks(turn(chat, { call(request) }), "document"), 1)
  local messages = turn(chat, { call(request) })
  T.equal(#blocks(messages, "document"), 1)
  T.contains(messages[#messages].content[1].content, "already been provided")

  chat.messages = vim.tbl_filter(function(message)
    return not (message._meta and message._meta.tag == "document")
  end, chat.messages)
  T.equal(#blocks(turn(chat, { call(request) }), "document"), 1)
  chat:close()
end)

T.test("codecompanion: OpenAI gets files", function()
  local chat = open("openai_responses")
  local messages = turn(chat, { call({ file_path = T.fixture("latex.pdf"), pages = "2" }) })
  local files = blocks(messages, "input_file")
  T.equal(#files, 1)
  T.contains(files[1].filename, "Page 2.pdf")
  T.contains(files[1].file_data, "data:application/pdf;base64,JVBERi0")
  chat:close()
end)

T.test("codecompanion: an adapter without documents gets pictures, one without both gets text", function()
  for _, case in ipairs({ { vision = true, images = 1 }, { vision = false, images = 0 } }) do
    local chat = open()
    chat.adapter.opts.documents = false
    chat.adapter.opts.vision = case.vision
    local messages = turn(chat, { call({ file_path = T.fixture("latex.pdf"), pages = "2" }) })
    T.equal({ #blocks(messages, "document"), #blocks(messages, "image") }, { 0, case.images })
    local result = blocks(messages, "tool_result")[1].content
    T.contains(result, case.vision and "Attached below" or "A page is a promise")
    chat:close()
  end
end)

T.test("codecompanion: an error reaches the model with its code", function()
  local chat = open()
  local messages = turn(chat, { call({ file_path = T.fixture("latex.pdf"), pages = "99" }) })
  T.contains(blocks(messages, "tool_result")[1].content, "invalid_page")
  chat:close()
end)

T.test("codecompanion: a changed file is told with the next request", function()
  local chat = open()
  local path = T.copy("report-v1.pdf", "companion.pdf")
  turn(chat, { call({ file_path = path, pages = "1-3" }) })
  T.copy("report-v2.pdf", "companion.pdf")
  local memory = extension.memory(chat)
  T.wait("the change is seen", function()
    return next(memory.pending) ~= nil
  end)
  local messages = turn(chat, { call({ file_path = path, pages = "2" }) })
  local told = vim.iter(messages):any(function(message)
    return vim.inspect(message.content):find("companion.pdf has changed since you read it: pages 2", 1, true) ~= nil
  end)
  T.equal(told, true)
  T.equal(#blocks(messages, "document"), 4)
  chat:close()
end)

---Adds page 2 as the slash command does; gives whether it came as a document.
local function add_page(chat)
  local count = #chat.messages
  T.await(function(done)
    extension.add(chat, T.fixture("latex.pdf"), "2", done)
  end)
  T.equal(#chat.messages, count + 1)
  return chat.messages[#chat.messages]._meta.tag == "document"
end

T.test("codecompanion: pages that the user added and took out again are sent again", function()
  local chat = open()
  T.equal(add_page(chat), true)
  T.equal(add_page(chat), false)
  for line, text in ipairs(vim.api.nvim_buf_get_lines(chat.bufnr, 0, -1, false)) do
    if text:find("latex.pdf - Page 2", 1, true) then
      vim.api.nvim_buf_set_lines(chat.bufnr, line - 1, line, false, {})
    end
  end
  chat:check_context()
  T.equal(add_page(chat), true)
  chat:close()
end)

T.test("codecompanion: a cleared chat holds nothing", function()
  local chat = open()
  T.equal(add_page(chat), true)
  chat:clear()
  T.equal(add_page(chat), true)
  chat:close()
end)

T.test("codecompanion: a stopped chat ends the read", function()
  local chat = open()
  require("pagewise").setup({ command = { "sh", "-c", "exec sleep 1000" } })
  local tool_call = call({ file_path = T.fixture("latex.pdf"), pages = "2" })
  chat:add_message({ role = "llm", content = "", tool_calls = { tool_call } }, { visible = false })
  chat.tools:execute(chat, { tool_call })
  T.wait("the read is under way", function()
    return chat.tool_orchestrator and chat.tool_orchestrator.current_job ~= nil
  end)
  local process = chat.tool_orchestrator.current_job.process
  chat:stop()
  T.wait("the program ends", function()
    return process:is_closing()
  end)
  T.equal(chat:has_orphaned_tool_calls(), false)
  chat:close()
end)

T.test("codecompanion: tool and slash commands are listed", function()
  local config = require("codecompanion.config").interactions.chat
  T.equal(config.tools.get_file.description, "Read PDFs page by page, each page once")
  T.equal(type(config.slash_commands.pdf.callback), "function")
end)
