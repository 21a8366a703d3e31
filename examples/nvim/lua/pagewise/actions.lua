---What the keys and commands of a shown PDF do.
local cli = require("pagewise.cli")
local places = require("pagewise.places")
local view = require("pagewise.view")

local M = {}

---Entries of one list at most.
local MAX_PLACES = 1000

---The view of this window, or a word to the user that there is none.
---@return pagewise.View?
local function current()
  local shown = view.of()
  if not shown then
    vim.notify("pagewise: this window shows no PDF", vim.log.levels.WARN)
  end
  return shown
end

---@return pagewise.View?, pagewise.ShownPage?, integer? index
local function here()
  local shown = current()
  if shown then
    return shown, view.page_at(shown)
  end
end

---@param shown pagewise.View
---@param index integer
---@param beyond integer Page to load if the view does not reach that far
local function step(shown, index, beyond)
  local page = shown.pages[index]
  if page then
    view.go_to(shown, page.number)
  elseif beyond >= 1 and beyond <= shown.total then
    view.go_to(shown, beyond)
  end
end

---Goes to the page after this one, or `count` pages on.
---@param count integer
function M.next_page(count)
  local shown, page, index = here()
  if shown and page then
    count = math.max(count, 1)
    step(shown, index + count, page.number + count)
  end
end

---Goes to the beginning of this page or, from there, to the page before it.
---@param count integer
function M.previous_page(count)
  local shown, page, index = here()
  if shown and page then
    local is_inside = vim.api.nvim_win_get_cursor(0)[1] > page.line
    count = math.max(count, 1) - (is_inside and 1 or 0)
    step(shown, index - count, page.number - count)
  end
end

---Goes to a page by its number.
---@param number integer
function M.go_to(number)
  local shown = current()
  if not shown then
    return
  end
  if number < 1 or number > shown.total then
    return vim.notify(("pagewise: there are pages 1 to %d"):format(shown.total), vim.log.levels.WARN)
  end
  view.go_to(shown, number)
end

---Shows the outline in the location list.
function M.outline()
  local shown = current()
  if not shown then
    return
  end
  local window = vim.api.nvim_get_current_win()
  local arguments = { "outline", "--json", "--max-items", tostring(MAX_PLACES), "--", shown.file }
  cli.run(arguments, { json = true, password = shown.password }, function(err, answer)
    if err then
      return cli.notify(err)
    end
    if not vim.api.nvim_win_is_valid(window) then
      return
    end
    local found = {}
    for _, item in ipairs(answer.items) do
      if item.page then
        local text = ("  "):rep(item.depth) .. item.title:gsub("%c", " ")
        found[#found + 1] = { file = shown.file, page = item.page, label = item.label, text = text, match = item.title }
      end
    end
    if #found == 0 then
      return vim.notify("pagewise: this PDF has no outline", vim.log.levels.INFO)
    end
    vim.fn.setloclist(window, {}, " ", places.list(found, "Outline of " .. shown.file, shown))
    vim.api.nvim_set_current_win(window)
    vim.cmd.lopen()
  end)
end

---Matches of one document's answer.
---@param document table
---@param file string
---@param found pagewise.Place[]
local function collect_matches(document, file, found)
  for _, page in ipairs(document.pages or {}) do
    for _, hit in ipairs(page.hits) do
      if #found < MAX_PLACES then
        local text = hit.excerpt:gsub("%s+", " ")
        found[#found + 1] = { file = file, page = page.page, label = page.label, text = text, match = hit.match }
      end
    end
  end
end

---Searches a PDF, or the PDFs of a folder, into the quickfix list.
---@param query string
---@param is_regex boolean
---@return pagewise.Job
function M.search(query, is_regex)
  local shown = view.of()
  local where = shown and shown.file or vim.fn.getcwd()
  local arguments = { "search", "--json", "--max-results", "200" }
  if is_regex then
    arguments[#arguments + 1] = "--regex"
  end
  vim.list_extend(arguments, { "--", where, query })
  return cli.run(arguments, { json = true, password = shown and shown.password }, function(err, answer)
    if err then
      return cli.notify(err)
    end
    local found = {}
    collect_matches(answer, where, found)
    for _, document in ipairs(answer.documents or {}) do
      local path = document.path
      local absolute = vim.startswith(path, "/") and path or vim.fs.joinpath(where, path)
      collect_matches(document, absolute, found)
    end
    vim.fn.setqflist({}, " ", places.list(found, ("pagewise search %s"):format(query), shown))
    if #found == 0 then
      return vim.notify(("pagewise: no match of %q"):format(query), vim.log.levels.INFO)
    end
    vim.cmd("botright copen")
  end)
end

---Opens a CSV text in a window of its own, to be looked at or written to a file.
---@param csv string
---@param name string
local function open_csv(csv, name)
  vim.cmd("new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(csv), "\r?\n"))
  vim.bo[buffer].filetype = "csv"
end

---Opens the tables of pages as CSV: of the page at the cursor, if none are named.
---@param pages? string|integer
function M.tables(pages)
  local shown = current()
  if not shown then
    return
  end
  local page = view.page_at(shown)
  local selection = type(pages) == "string" and pages ~= "" and pages or tostring(page and page.number or 1)
  local arguments = { "tables", "--format", "csv", "--", shown.file, selection }
  cli.run(arguments, { password = shown.password }, function(err, csv)
    if err then
      return cli.notify(err)
    end
    if vim.trim(csv) == "" then
      return vim.notify(("pagewise: no table on page %s"):format(selection), vim.log.levels.INFO)
    end
    open_csv(csv, ("%s, tables of page %s"):format(vim.fs.basename(shown.file), selection))
  end)
end

---Shows the picture of the page at the cursor beside its text, or hides it.
function M.picture()
  local shown = current()
  if shown then
    require("pagewise.picture").toggle(shown)
  end
end

return M
