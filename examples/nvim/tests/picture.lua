local T = _G.T

---Starts Neovim in a terminal that says it is kitty, and gives what it wrote so far.
local function terminal(commands)
  local written = {}
  local arguments = { vim.v.progpath, "--clean", "--cmd", "set runtimepath^=" .. T.root }
  for _, command in ipairs(commands) do
    vim.list_extend(arguments, { "-c", command })
  end
  local job = vim.fn.jobstart(arguments, {
    pty = true,
    width = 120,
    height = 40,
    env = { TERM = "xterm-kitty", KITTY_WINDOW_ID = "1", TMUX = "", COLORTERM = "truecolor" },
    clear_env = false,
    on_stdout = function(_, data)
      table.insert(written, table.concat(data, "\n"))
    end,
  })
  return job, function()
    return table.concat(written)
  end
end

T.test("kitty is sent the picture of the page, and placeholders where it stands", function()
  local setup = ("lua require('pagewise').setup({ command = { %q }, picture = 'kitty' })"):format(T.program)
  local job, written = terminal({
    "set termguicolors",
    "unlet! $TMUX",
    setup,
    "autocmd User PagewiseLoaded normal gp",
    "Pagewise " .. T.fixture("latex.pdf") .. " 3",
  })
  T.wait("a picture is sent", function()
    return written():find("\27_Gm=0;", 1, true) ~= nil
  end)
  T.wait("placeholders are drawn", function()
    return written():find(vim.fn.nr2char(0x10EEEE), 1, true) ~= nil
  end)
  vim.fn.jobstop(job)

  local keys = assert(written():match("\27_G(a=T[^;]*);"))
  T.contains(keys, "U=1,f=100,t=d,q=2,i=")
  local payload = {}
  for part in written():gmatch("\27_G[^;]*;([^\27]*)\27") do
    table.insert(payload, part)
  end
  local png = vim.base64.decode(table.concat(payload))
  T.equal(png:sub(1, 8), "\137PNG\r\n\26\n")
  T.equal(png:sub(-8, -5), "IEND")
end)

T.test("without a terminal that draws, that is told", function()
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  T.wait("the pages are shown", function()
    return require("pagewise.view").of().is_loaded
  end)
  vim.cmd.normal("gp")
  T.contains(T.notices[1], "nothing here draws pictures")
end)
