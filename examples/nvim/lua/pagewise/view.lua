---Buffers that show pages of a PDF as Markdown.
local cli = require("pagewise.cli")
local config = require("pagewise.config")
local uri = require("pagewise.uri")

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pagewise")

---@class pagewise.ShownPage
---@field number integer From 1
---@field label? string As printed
---@field line integer First line of the page in the buffer, from 1

---@class pagewise.View
---@field buffer integer
---@field file string
---@field selection? string Pages that the buffer's name asks for
---@field pages pagewise.ShownPage[] In the order of the buffer
---@field total integer Pages of the document
---@field password? string
---@field job? pagewise.Job The read under way
---@field is_loaded boolean
---@field loaded? string The selection that is shown
---@field modified? integer When the file was changed last, in seconds

---@type table<integer, pagewise.View>
local views = {}

---The view of a buffer.
---@param buffer? integer
---@return pagewise.View?
function M.of(buffer)
  return views[buffer or vim.api.nvim_get_current_buf()]
end

---@param page { number: integer, label?: string }
---@return string
local function name_of(page)
  if page.label and page.label ~= tostring(page.number) then
    return ("Page %d (%s)"):format(page.number, (page.label:gsub("%c", " ")))
  end
  return ("Page %d"):format(page.number)
end

---Lines of the pages, and where each begins. A heading of a page is a comment in Markdown.
---@param answer table
---@return string[] lines, pagewise.ShownPage[] pages
local function lay_out(answer)
  local lines, pages = {}, {}
  for _, page in ipairs(answer.pages) do
    pages[#pages + 1] = { number = page.number, label = page.label, line = #lines + 1 }
    lines[#lines + 1] = ("<!-- %s -->"):format(name_of(page))
    lines[#lines + 1] = ""
    if page.markdown ~= "" then
      vim.list_extend(lines, vim.split(page.markdown, "\n", { plain = true }))
      lines[#lines + 1] = ""
    end
  end
  return lines, pages
end

---@param view pagewise.View
---@param is_truncated boolean
local function decorate(view, is_truncated)
  for _, page in ipairs(view.pages) do
    local heading = ("── %s of %d "):format(name_of(page), view.total)
    local rule = ("─"):rep(math.max(0, 78 - vim.fn.strdisplaywidth(heading)))
    vim.api.nvim_buf_set_extmark(view.buffer, NAMESPACE, page.line - 1, 0, {
      virt_text = { { heading .. rule, "PagewisePage" } },
      virt_text_pos = "overlay",
      hl_mode = "replace",
    })
  end
  if is_truncated then
    local last = vim.api.nvim_buf_line_count(view.buffer) - 1
    local note = ("The text ends here after %d characters (max_chars)."):format(config.get().max_chars)
    vim.api.nvim_buf_set_extmark(view.buffer, NAMESPACE, last, 0, { virt_lines = { { { note, "WarningMsg" } } } })
  end
end

---@param view pagewise.View
---@param lines string[]
local function set_lines(view, lines)
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_clear_namespace(view.buffer, NAMESPACE, 0, -1)
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  vim.bo[view.buffer].modified = false
end

---Moves the cursor of a window to a line, and keeps the earlier place in its jump list.
---@param window integer
---@param line integer
local function jump(window, line)
  vim.api.nvim_win_call(window, function()
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(window, { line, 0 })
    vim.cmd("normal! zt")
  end)
end

---The place of a text on a shown page, or the page's first line.
---@param view pagewise.View
---@param number integer
---@param match? string
---@return integer? line
function M.line_of(view, number, match)
  for index, page in ipairs(view.pages) do
    if page.number == number then
      local next_page = view.pages[index + 1]
      local last = next_page and next_page.line - 1 or -1
      local lines = match and vim.api.nvim_buf_get_lines(view.buffer, page.line - 1, last, false) or {}
      for offset, line in ipairs(lines) do
        if line:lower():find(match:lower(), 1, true) then
          return page.line + offset - 1
        end
      end
      return page.line
    end
  end
end

---A quickfix entry may have opened this buffer before its text was there.
---@param view pagewise.View
local function go_to_listed_match(view)
  local list = vim.fn.getqflist({ idx = 0, items = 0 })
  local entry = list.items and list.items[list.idx]
  local wanted = entry and entry.bufnr == view.buffer and type(entry.user_data) == "table" and entry.user_data.pagewise
  local line = wanted and M.line_of(view, wanted.page, wanted.match)
  if line then
    for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
      jump(window, line)
    end
  end
end

---@param view pagewise.View
---@param answer table
---@param number? integer Page to go to
local function show(view, answer, number)
  local lines
  lines, view.pages = lay_out(answer)
  view.total = answer.totalPages
  view.is_loaded = true
  set_lines(view, lines)
  decorate(view, answer.truncated)
  local line = number and M.line_of(view, number)
  for _, window in ipairs(line and vim.fn.win_findbuf(view.buffer) or {}) do
    jump(window, line)
  end
  if not line then
    go_to_listed_match(view)
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "PagewiseLoaded", modeline = false, data = { buf = view.buffer } })
end

---Asks once for a password, if that is what is missing.
---@param view pagewise.View
---@param err pagewise.Error
---@return boolean is_asked
local function ask_password(view, err)
  if err.code ~= "encrypted" or view.password then
    return false
  end
  local password = vim.fn.inputsecret(("Password of %s: "):format(view.file))
  if password == "" then
    return false
  end
  view.password = password
  return true
end

---@param file string
---@return integer?
local function modification(file)
  local status = vim.uv.fs_stat(file)
  return status and status.mtime.sec
end

---Reads the pages of a view.
---@param view pagewise.View
---@param selection string
---@param number? integer Page to go to
local function load(view, selection, number)
  if view.job then
    view.job:kill()
  end
  view.loaded = selection
  view.modified = modification(view.file)
  local arguments = { "text", "--format", "markdown", "--json", "--max-chars", tostring(config.get().max_chars) }
  vim.list_extend(arguments, { "--", view.file, selection })
  view.job = cli.run(arguments, { json = true, password = view.password }, function(err, answer)
    view.job = nil
    if not vim.api.nvim_buf_is_valid(view.buffer) then
      return
    end
    if not err then
      return show(view, answer, number)
    end
    if ask_password(view, err) then
      return load(view, selection, number)
    end
    view.password = nil
    if not view.is_loaded then
      set_lines(view, vim.split(err.message, "\n", { plain = true }))
    end
    cli.notify(err)
  end)
end

---@param buffer integer
local function set_options(buffer)
  local options = vim.bo[buffer]
  options.buftype = "nofile"
  options.swapfile = false
  options.undolevels = -1
  options.modeline = false
  options.modifiable = false
  options.filetype = "pagewise"
  pcall(vim.treesitter.start, buffer, "markdown")
end

---Reads the file again once it has changed, and lets the view go with its buffer.
---@param view pagewise.View
local function watch(view)
  local group = vim.api.nvim_create_augroup("pagewise.view." .. view.buffer, { clear = true })
  vim.api.nvim_create_autocmd({ "BufEnter", "FocusGained" }, {
    group = group,
    buffer = view.buffer,
    callback = function()
      if view.is_loaded and not view.job and view.modified ~= modification(view.file) then
        local page = M.page_at(view)
        load(view, view.loaded --[[@as string]], page and page.number)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "BufWipeout", "BufUnload" }, {
    group = group,
    buffer = view.buffer,
    callback = function()
      M.forget(view.buffer)
    end,
  })
end

---Reads the buffer of a name such as `pagewise://FILE#page=PAGES`, or of a PDF.
---@param buffer integer
function M.read(buffer)
  local file, selection = uri.parse(vim.api.nvim_buf_get_name(buffer))
  local known = views[buffer]
  local view = {
    buffer = buffer,
    file = file,
    selection = selection,
    pages = {},
    total = 0,
    password = known and known.password,
    is_loaded = false,
  }
  M.forget(buffer)
  views[buffer] = view
  vim.api.nvim_set_hl(0, "PagewisePage", { link = "NonText", default = true })
  set_options(buffer)
  watch(view)
  load(view, selection or ("-%d"):format(config.get().page_limit))
end

---Stops the read of a buffer that goes away.
---@param buffer integer
function M.forget(buffer)
  local view = views[buffer]
  views[buffer] = nil
  if view and view.job then
    view.job:kill()
  end
end

---The page at the cursor.
---@param view pagewise.View
---@param line? integer
---@return pagewise.ShownPage?, integer? index
function M.page_at(view, line)
  line = line or vim.api.nvim_win_get_cursor(0)[1]
  for index = #view.pages, 1, -1 do
    if view.pages[index].line <= line then
      return view.pages[index], index
    end
  end
end

---Goes to a page in this window; loads it and those after it, if it is not shown.
---@param view pagewise.View
---@param number integer
function M.go_to(view, number)
  local line = M.line_of(view, number)
  if line then
    return jump(0, line)
  end
  local last = math.min(number + config.get().page_limit - 1, view.total)
  load(view, ("%d-%d"):format(number, last), number)
end

return M
