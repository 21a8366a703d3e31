---`:checkhealth pagewise`
local config = require("pagewise.config")

local M = {}

local DOCTOR_MS = 10000

---@param arguments string[]
---@return string? stdout, string? problem
local function ask(arguments)
  local command = vim.list_extend(vim.list_slice(config.get().command), arguments)
  local ok, process = pcall(vim.system, command, { text = true })
  if not ok then
    return nil, ("%s cannot be started"):format(command[1])
  end
  local finished = process:wait(DOCTOR_MS)
  if finished.code ~= 0 then
    return nil, vim.trim(finished.stderr)
  end
  return vim.trim(finished.stdout)
end

local function check_program()
  vim.health.start("pagewise: the program")
  local version, problem = ask({ "--version" })
  if not version then
    return vim.health.error(problem --[[@as string]], { "Install pagewise.", "Or set `command` by setup()." })
  end
  vim.health.ok(version)
  local report, trouble = ask({ "doctor" })
  vim.health.info(report or ("pagewise doctor: " .. trouble))
end

local function check_pictures()
  vim.health.start("pagewise: pictures")
  local _, name = require("pagewise.picture").backend()
  if name then
    return vim.health.ok("drawn by " .. name)
  end
  vim.health.warn("nothing here draws pictures", {
    "Use kitty or Ghostty without tmux.",
    "Or install snacks.nvim or image.nvim, for the terminals that they know.",
  })
end

local function check_chats()
  vim.health.start("pagewise: chat plugins")
  for name, module in pairs({ ["codecompanion.nvim"] = "codecompanion", ["CopilotChat.nvim"] = "CopilotChat" }) do
    local is_found = #vim.api.nvim_get_runtime_file("lua/" .. module .. "/init.lua", false) > 0
    vim.health.info(name .. (is_found and " is installed" or " is not installed"))
  end
end

function M.check()
  check_program()
  check_pictures()
  check_chats()
end

return M
