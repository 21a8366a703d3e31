-- With the real CopilotChat.nvim and plenary.nvim, whose folders the environment names.
local T = _G.T

local plugin, plenary = vim.env.COPILOT_CHAT, vim.env.PLENARY
if not plugin or not plenary or not vim.uv.fs_stat(plugin) or not vim.uv.fs_stat(plenary) then
  return T.leave_out("CopilotChat.nvim: COPILOT_CHAT and PLENARY name no folders of the plugins")
end
vim.opt.runtimepath:append({ plenary, plugin })
local async = require("plenary.async")
local functions = require("CopilotChat.functions")
local pdf = require("pagewise.copilot_chat").pdf

---Runs the function on what a user types after `#pdf:`, as the plugin does.
local function resolve(typed)
  return T.await(function(done)
    async.run(function()
      return pcall(pdf.resolve, functions.parse_input(typed, pdf.schema))
    end, done)
  end)
end

T.test("CopilotChat: pages come as Markdown", function()
  local ok, resources = resolve(T.fixture("latex.pdf") .. ";;2")
  T.equal(ok, true)
  T.equal(resources[1].mimetype, "text/markdown")
  T.contains(resources[1].data, "## Preface")
end)

T.test("CopilotChat: without pages, a summary", function()
  local _, resources = resolve(T.fixture("latex.pdf"))
  T.contains(resources[1].data, "Pages: 8")
end)

T.test("CopilotChat: an error is the plugin's error", function()
  local ok, problem = resolve(T.fixture("latex.pdf") .. ";;99")
  T.equal(ok, false)
  T.contains(tostring(problem), "Page 99 out of range")
end)

T.test("CopilotChat: the model is told of path and pages", function()
  local tool = functions.parse_tools({ pdf = pdf })[1]
  T.equal(vim.tbl_count(tool.schema.properties), 2)
end)
