local T = _G.T
local view = require("pagewise.view")

local function loaded()
  T.wait("the pages are shown", function()
    local shown = view.of()
    return shown ~= nil and shown.is_loaded and shown.job == nil
  end)
  return assert(view.of())
end

local function numbers(shown)
  return vim.tbl_map(function(page)
    return page.number
  end, shown.pages)
end

local function page_here()
  return view.page_at(assert(view.of())).number
end

T.test("a PDF is shown as Markdown, with a heading for each page", function()
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  local shown = loaded()
  T.equal(numbers(shown), { 1, 2, 3, 4, 5, 6, 7, 8 })
  T.equal(
    vim.api.nvim_buf_get_lines(0, 0, 3, false),
    { "<!-- Page 1 (i) -->", "", "# A Short Walk through a Printed Page" }
  )
  T.equal({ vim.bo.filetype, vim.bo.modifiable, vim.bo.modified }, { "pagewise", false, false })
end)

T.test("pages are chosen by number, label and section", function()
  for pages, expected in pairs({ ["2-3"] = { 2, 3 }, ["label:ii"] = { 2 }, ["section:4 Ink and alphabets"] = { 6 } }) do
    vim.cmd({ cmd = "Pagewise", args = { T.fixture("latex.pdf"), pages } })
    T.equal(numbers(loaded()), expected)
  end
end)

T.test("keys go from page to page, and load pages that are not shown", function()
  require("pagewise").setup({ command = { T.program }, page_limit = 2 })
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  T.equal(numbers(loaded()), { 1, 2 })
  vim.cmd.normal("]]")
  T.equal(page_here(), 2)
  vim.cmd.normal("]]")
  T.equal(numbers(loaded()), { 3, 4 })
  T.equal(page_here(), 3)
  vim.cmd.normal("[[")
  T.equal(numbers(loaded()), { 2, 3 })
  vim.cmd("Pagewise 8")
  T.equal(numbers(loaded()), { 8 })
  vim.cmd("Pagewise 9")
  T.contains(T.notices[1], "pages 1 to 8")
end)

T.test("matches go to the quickfix list, with their lines", function()
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  loaded()
  vim.cmd("PagewiseSearch folio")
  T.wait("matches are listed", function()
    return #vim.fn.getqflist() == 2
  end)
  vim.cmd.cfirst()
  T.contains(vim.api.nvim_get_current_line(), "folio")
  T.equal(page_here(), 3)
end)

T.test("a match in a PDF that is not shown opens it at the match", function()
  vim.cmd.cd(T.fixtures)
  vim.cmd("PagewiseSearch! [Ss]extodecimo")
  T.wait("matches are listed", function()
    return #vim.fn.getqflist() > 0
  end)
  vim.cmd.cfirst()
  local shown = loaded()
  T.equal({ vim.fs.basename(shown.file), numbers(shown) }, { "latex.pdf", { 4 } })
  T.contains(vim.api.nvim_get_current_line(), "Sextodecimo")
end)

T.test("the outline is a location list", function()
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  loaded()
  vim.cmd.normal("gO")
  T.wait("the outline is listed", function()
    return vim.bo.buftype == "quickfix"
  end)
  T.equal(#vim.fn.getloclist(0), 13)
  vim.cmd("lclose | ll 10")
  T.contains(vim.api.nvim_get_current_line(), "4 Ink and alphabets")
  T.equal(page_here(), 6)
end)

T.test("the tables of a page open as CSV", function()
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  loaded()
  vim.cmd("Pagewise 4")
  vim.cmd.normal("gC")
  T.wait("the table is open", function()
    return vim.bo.filetype == "csv"
  end)
  T.equal(vim.api.nvim_buf_get_lines(0, 0, 2, false), { "Name,Folds,Leaves,Pages", "Folio,1,2,4" })
end)

T.test("a PDF opens by itself where that is set", function()
  vim.g.loaded_pagewise, vim.g.pagewise_open_pdf = nil, true
  vim.cmd.runtime("plugin/pagewise.lua")
  vim.cmd.edit(T.copy("latex.pdf"))
  T.equal(#loaded().pages, 8)
  T.equal(pcall(vim.cmd.write), false)
  vim.g.loaded_pagewise, vim.g.pagewise_open_pdf = nil, nil
  vim.cmd.runtime("plugin/pagewise.lua")
end)

T.test("a changed file is read again when its window is entered", function()
  local path = T.copy("report-v1.pdf", "report.pdf")
  vim.cmd.Pagewise(path)
  local before = vim.api.nvim_buf_get_lines(loaded().buffer, 0, -1, false)
  T.copy("report-v2.pdf", "report.pdf")
  vim.uv.fs_utime(path, 1, 1)
  vim.cmd.new()
  vim.cmd.wincmd("p")
  T.wait("the new text is there", function()
    return not vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), before)
  end)
end)

T.test("a password is asked for, once", function()
  local asked, input = 0, vim.fn.inputsecret
  vim.fn.inputsecret = function()
    asked = asked + 1
    return "wrong"
  end
  vim.cmd.Pagewise(T.fixture("encrypted-password.pdf"))
  T.wait("the refusal is told", function()
    return #T.notices > 0
  end)
  vim.fn.inputsecret = input
  T.equal(asked, 1)
end)

T.test("errors are told, and shown in an empty buffer", function()
  vim.cmd.Pagewise(T.folder .. "/none.pdf")
  T.wait("the error is told", function()
    return #T.notices > 0
  end)
  T.contains(T.notices[1], "File not found")
  T.contains(vim.api.nvim_get_current_line(), "File not found")
end)

T.test("a missing program is told", function()
  require("pagewise").setup({ command = { T.folder .. "/no-such-program" } })
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  T.wait("the error is told", function()
    return #T.notices > 0
  end)
  T.contains(T.notices[1], "cannot be started")
end)

T.test("an answer that is too large is cut off, and told", function()
  require("pagewise").setup({ command = { T.program }, max_answer_bytes = 100 })
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  T.wait("the limit is told", function()
    return #T.notices > 0
  end)
  T.contains(T.notices[1], "max_answer_bytes")
end)

T.test("a program that never answers is ended", function()
  require("pagewise").setup({ command = { "sleep", "1000" }, timeout_ms = 50 })
  local err = T.await(function(done)
    require("pagewise.cli").run({}, {}, done)
  end)
  T.equal(err.code, "timeout")
end)

T.test("a wiped buffer ends its read", function()
  require("pagewise").setup({ command = { "sh", "-c", "exec sleep 1000" } })
  vim.cmd.Pagewise(T.fixture("latex.pdf"))
  local process = view.of().job.process
  vim.cmd.bwipeout({ bang = true })
  T.wait("the program ends", function()
    return process:is_closing()
  end)
  T.equal(T.notices, {})
end)

T.test("files and sections are completed", function()
  local command = "Pagewise " .. T.fixture("latex")
  T.equal(vim.fn.getcompletion(command, "cmdline"), { T.fixture("latex.pdf") })
  local sections = vim.fn.getcompletion(("Pagewise %s section:4"):format(T.fixture("latex.pdf")), "cmdline")
  T.equal(sections, { "section:4\\ Ink\\ and\\ alphabets", "section:4.1\\ Monospaced\\ ink" })
end)

T.test("a setting that does not exist is refused", function()
  T.equal(pcall(require("pagewise").setup, { colour = "red" }), false)
end)

T.test("the health check names the program's version", function()
  vim.cmd("checkhealth pagewise")
  T.contains(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"), "pagewise 0.")
end)
