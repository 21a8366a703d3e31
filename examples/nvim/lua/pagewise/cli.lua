---Runs the program: without a shell, asynchronously, with bounds on time and output.
local config = require("pagewise.config")

local M = {}

---A line of a followed program that is longer than this ends it.
local MAX_LINE_BYTES = 4 * 1024 * 1024

---@class pagewise.Error
---@field code string The program's error code, or `cancelled`, `timeout`, `too_large`, `not_found`, `failed`
---@field message string
---@field hint? string

---@class pagewise.Job
---@field private process? vim.SystemObj
---@field private killed boolean
local Job = {}
Job.__index = Job

---Ends the program. Its callback is not called afterwards.
function Job:kill()
  self.killed = true
  if self.process then
    pcall(self.process.kill, self.process, "sigterm")
  end
end

---@param code string
---@param message string
---@param hint? string
---@return pagewise.Error
function M.error(code, message, hint)
  return { code = code, message = message, hint = hint }
end

---@param text string
---@return any value, string? problem
local function decode(text)
  local ok, value = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  if ok then
    return value
  end
  return nil, value
end

---The error that a failed run printed.
---@param finished vim.SystemCompleted
---@param stdout string
---@return pagewise.Error
local function failure(finished, stdout)
  local value = decode(stdout)
  if type(value) == "table" and type(value.error) == "table" then
    return value.error
  end
  local line = vim.split(vim.trim(finished.stderr or ""), "\n")[1]
  return M.error("failed", line ~= "" and line or ("pagewise ended with status %d"):format(finished.code))
end

---@param arguments string[]
---@return string[]
local function command(arguments)
  return vim.list_extend(vim.list_slice(config.get().command), arguments)
end

---Programs under way. Neovim leaves its children running when it exits, so they are ended before.
---@type table<pagewise.Job, true>
local running = {}

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("pagewise.cli", { clear = true }),
  callback = function()
    for job in pairs(running) do
      job:kill()
    end
  end,
})

---Starts the program.
---@param job pagewise.Job
---@param arguments string[]
---@param options vim.SystemOpts
---@param on_exit fun(finished: vim.SystemCompleted)
---@return pagewise.Error?
local function start(job, arguments, options, on_exit)
  local ok, process = pcall(vim.system, command(arguments), options, function(finished)
    running[job] = nil
    on_exit(finished)
  end)
  if ok then
    job.process = process
    running[job] = true
    return nil
  end
  local name = config.get().command[1]
  return M.error("not_found", ("%s cannot be started"):format(name), "Install pagewise, or set `command`.")
end

---@class pagewise.RunOptions
---@field json? boolean The answer is one JSON object, and is decoded
---@field password? string
---@field cwd? string

---Runs one command to its end.
---@param arguments string[]
---@param options pagewise.RunOptions
---@param on_done fun(err?: pagewise.Error, answer?: any)
---@return pagewise.Job
function M.run(arguments, options, on_done)
  local job = setmetatable({ killed = false }, Job)
  local chunks, size, limit = {}, 0, config.get().max_answer_bytes
  local is_too_large = false

  local function collect(_, data)
    if not data or is_too_large then
      return
    end
    size = size + #data
    if size > limit then
      is_too_large = true
      chunks = {}
      pcall(job.process.kill, job.process, "sigterm")
      return
    end
    chunks[#chunks + 1] = data
  end

  ---@param finished vim.SystemCompleted
  ---@return pagewise.Error?, any
  local function outcome(finished)
    if is_too_large then
      return M.error("too_large", ("the answer has more than %d bytes (`max_answer_bytes`)"):format(limit))
    end
    if finished.code == 124 then
      return M.error("timeout", ("no answer within %d ms (`timeout_ms`)"):format(config.get().timeout_ms))
    end
    local stdout = table.concat(chunks)
    if finished.code ~= 0 then
      return failure(finished, stdout)
    end
    if not options.json then
      return nil, stdout
    end
    local value, problem = decode(stdout)
    if value == nil then
      return M.error("failed", "the answer is not JSON: " .. tostring(problem))
    end
    return nil, value
  end

  local err = start(job, arguments, {
    stdout = collect,
    timeout = config.get().timeout_ms,
    cwd = options.cwd,
    env = options.password and { PAGEWISE_PASSWORD = options.password } or nil,
  }, function(finished)
    vim.schedule(function()
      if not job.killed then
        on_done(outcome(finished))
      end
    end)
  end)
  if err then
    vim.schedule(function()
      on_done(err)
    end)
  end
  return job
end

---Follows a command that prints one JSON object a line until it is ended.
---@param arguments string[]
---@param on_object fun(object: table)
---@param on_exit fun(err?: pagewise.Error)
---@return pagewise.Job
function M.follow(arguments, on_object, on_exit)
  local job = setmetatable({ killed = false }, Job)
  local rest = ""

  local function split(_, data)
    if not data then
      return
    end
    local lines = vim.split(rest .. data, "\n", { plain = true })
    rest = table.remove(lines)
    if #rest > MAX_LINE_BYTES then
      pcall(job.process.kill, job.process, "sigterm")
      return
    end
    vim.schedule(function()
      for _, line in ipairs(lines) do
        local object = not job.killed and decode(line)
        if type(object) == "table" then
          on_object(object)
        end
      end
    end)
  end

  local err = start(job, arguments, { stdout = split }, function(finished)
    vim.schedule(function()
      if not job.killed then
        on_exit(failure(finished, rest))
      end
    end)
  end)
  if err then
    vim.schedule(function()
      on_exit(err)
    end)
  end
  return job
end

---Tells the user of an error.
---@param err pagewise.Error
function M.notify(err)
  local text = err.hint and ("%s\n%s"):format(err.message, err.hint) or err.message
  vim.notify("pagewise: " .. text, vim.log.levels.ERROR)
end

return M
