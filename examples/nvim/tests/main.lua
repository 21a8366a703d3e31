-- Runs the test files that are named after it, in a real Neovim:
-- PAGEWISE=… nvim --clean --headless -l tests/main.lua FILE…
local here = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ":p"))))
vim.opt.runtimepath:prepend(here)
vim.cmd.filetype("plugin indent on")
vim.cmd.runtime("plugin/pagewise.lua")

local WAIT_MS = 30000

---@class pagewise.Test
local T = { fixtures = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(here)), "fixtures"), root = here }
T.folder = vim.fn.tempname()
vim.fn.mkdir(T.folder, "p")
T.program = assert(vim.env.PAGEWISE, "PAGEWISE names the program")
vim.env.XDG_DATA_HOME = T.folder .. "/data"
vim.env.XDG_CONFIG_HOME = T.folder .. "/config"

local passed, failed, left_out = 0, 0, 0

function T.fixture(name)
  return vim.fs.joinpath(T.fixtures, name)
end

---A copy of a fixture that a test may change.
function T.copy(name, as)
  local path = vim.fs.joinpath(T.folder, as or name)
  assert(vim.uv.fs_copyfile(T.fixture(name), path))
  return path
end

---Waits until a condition holds, while callbacks run.
function T.wait(what, condition)
  assert(vim.wait(WAIT_MS, condition, 10), "never happened: " .. what)
end

---Runs an asynchronous function to its end, and gives what it called back with.
function T.await(start)
  local result
  start(function(...)
    result = { ... }
  end)
  T.wait("the answer", function()
    return result ~= nil
  end)
  return result[1], result[2]
end

function T.equal(found, expected)
  if not vim.deep_equal(found, expected) then
    error(("expected %s, found %s"):format(vim.inspect(expected), vim.inspect(found)), 2)
  end
end

function T.contains(text, part)
  if not text:find(part, 1, true) then
    error(("expected %q in %q"):format(part, text:sub(1, 2000)), 2)
  end
end

---What the user was notified of since the test began.
T.notices = {}
vim.notify = function(text)
  table.insert(T.notices, text)
end

---Says that an optional plugin is not at hand.
function T.leave_out(reason)
  left_out = left_out + 1
  io.write("left out: " .. reason .. "\n")
end

function T.test(name, body)
  T.notices = {}
  vim.fn.setqflist({}, "f")
  require("pagewise").setup({ command = { T.program } })
  local ok, problem = xpcall(body, debug.traceback)
  vim.cmd("silent! cclose | silent! only! | silent! %bwipeout!")
  vim.cmd.cd(here)
  if ok then
    passed = passed + 1
    io.write("ok: " .. name .. "\n")
  else
    failed = failed + 1
    io.write(("FAILED: %s\n%s\n%s\n"):format(name, problem, vim.inspect(T.notices)))
  end
end

_G.T = T
for index = 1, #arg do
  dofile(arg[index])
end
vim.fn.delete(T.folder, "rf")
io.write(("%d passed, %d failed, %d left out\n"):format(passed, failed, left_out))
os.exit(failed == 0 and 0 or 1)
