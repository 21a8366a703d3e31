local T = _G.T
local pagewise = require("pagewise")

local function read(chat, request)
  return T.await(function(done)
    chat:get_file(request, done)
  end)
end

T.test("pages come as the provider's blocks", function()
  local forms = {
    anthropic = function(block)
      return block.type == "document" and block.source.media_type
    end,
    openai = function(block)
      return block.type == "input_file" and block.file_data:match("^data:([^;]+)")
    end,
    gemini = function(block)
      return block.inlineData and block.inlineData.mimeType
    end,
  }
  for api, kind in pairs(forms) do
    local err, answer = T.await(function(done)
      pagewise.get_file({ file = T.fixture("latex.pdf"), pages = "2", api = api }, done)
    end)
    T.equal({ err, kind(answer.content[1]) }, { nil, "application/pdf" })
  end
end)

T.test("a chat is sent each page once, and says what it holds", function()
  local chat = pagewise.chat("once")
  local request = { file = T.fixture("latex.pdf"), pages = "2" }
  local _, first = read(chat, request)
  T.equal(first.content[1].type, "document")
  local _, again = read(chat, request)
  T.contains(again.content[1].text, "Page 2 of")
  T.equal(again.content[1].type, "text")
  local _, held = T.await(function(done)
    chat:held(done)
  end)
  T.equal(held.files[1].pages, { document = "2" })
end)

T.test("what was forgotten is sent again", function()
  local chat = pagewise.chat("forgetful")
  local request = { file = T.fixture("latex.pdf"), pages = "2" }
  read(chat, request)
  T.await(function(done)
    chat:forget({ file = request.file, pages = "2" }, done)
  end)
  local _, again = read(chat, request)
  T.equal(again.content[1].type, "document")
end)

T.test("an error says its code and what to do", function()
  local err = read(pagewise.chat("errors"), { file = T.fixture("latex.pdf"), pages = "99" })
  T.equal(err.code, "invalid_page")
end)

T.test("changes of what a chat holds are told, once", function()
  local path = T.copy("report-v1.pdf", "followed.pdf")
  local chat = pagewise.chat("follower")
  read(chat, { file = path, pages = "1-3" })
  chat:follow()
  T.copy("report-v2.pdf", "followed.pdf")
  local told
  T.wait("the change is told", function()
    told = chat:changes()
    return #told > 0
  end)
  chat:close()
  T.contains(told[1], "followed.pdf has changed since you read it: pages 2.")
  T.equal(chat:changes(), {})
end)

T.test("a killed read never calls back, and is not held", function()
  local chat = pagewise.chat("killed")
  local is_called = false
  local job = chat:get_file({ file = T.fixture("latex.pdf"), pages = "1-8" }, function()
    is_called = true
  end)
  job:kill()
  local _, answer = read(chat, { file = T.fixture("latex.pdf"), pages = "1" })
  T.equal({ is_called, answer.content[1].type }, { false, "document" })
end)

T.test("what follows files ends with Neovim", function()
  local id_file = T.folder .. "/follower"
  local script = T.folder .. "/follow.lua"
  vim.fn.writefile({
    ("vim.opt.runtimepath:prepend(%q)"):format(T.root),
    ("require('pagewise').setup({ command = { %q } })"):format(T.program),
    "local chat = require('pagewise').chat('leaving')",
    "chat:follow()",
    ("vim.fn.writefile({ tostring(chat.watcher.process.pid) }, %q)"):format(id_file),
  }, script)
  vim.system({ vim.v.progpath, "--clean", "--headless", "-l", script }):wait()
  local id = assert(tonumber(vim.fn.readfile(id_file)[1]))
  T.wait("the program ends", function()
    return vim.uv.kill(id, 0) ~= 0
  end)
end)
