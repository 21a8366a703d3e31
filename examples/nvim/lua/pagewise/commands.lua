---The user commands.
local actions = require("pagewise.actions")
local cli = require("pagewise.cli")
local uri = require("pagewise.uri")
local view = require("pagewise.view")

local M = {}

---Titles that are offered, and milliseconds to wait for them while a command is typed.
local MAX_TITLES = 200
local COMPLETION_MS = 1500

---`:Pagewise FILE [PAGES]`
---@param command vim.api.keyset.create_user_command.command_args
function M.open(command)
  local file = command.fargs[1]
  local pages = table.concat(command.fargs, " ", 2)
  local shown = view.of()
  if #command.fargs == 1 and shown and file:match("^%d+$") and not vim.uv.fs_stat(file) then
    return actions.go_to(tonumber(file) --[[@as integer]])
  end
  local is_split = command.smods.split ~= "" or command.smods.vertical or command.smods.tab >= 0
  local name = uri.build(file, pages)
  vim.cmd({ cmd = is_split and "split" or "edit", args = { name }, magic = { file = false }, mods = command.smods })
end

---`:PagewiseSearch[!] QUERY`: with `!`, a regular expression.
---@param command vim.api.keyset.create_user_command.command_args
function M.search(command)
  actions.search(command.args, command.bang)
end

---`:PagewiseTables [PAGES]`
---@param command vim.api.keyset.create_user_command.command_args
function M.tables(command)
  actions.tables(command.args)
end

---@param file string
---@return string[]
local function titles(file)
  local found
  local arguments = { "outline", "--json", "--max-items", tostring(MAX_TITLES), "--", uri.absolute(file) }
  local job = cli.run(arguments, { json = true }, function(_, answer)
    found = answer and answer.items or {}
  end)
  vim.wait(COMPLETION_MS, function()
    return found ~= nil
  end, 10)
  job:kill()
  return vim.tbl_map(function(item)
    return "section:" .. item.title
  end, found or {})
end

---Completes folders and PDFs, then sections of the PDF's outline.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local words = vim.api.nvim_parse_cmd(line:sub(1, position), {}).args or {}
  local is_file = #words == 0 or (#words == 1 and lead ~= "")
  if is_file then
    return vim.tbl_filter(function(path)
      return vim.endswith(path, "/") or path:lower():match("%.pdf$") ~= nil
    end, vim.fn.getcompletion(lead, "file"))
  end
  -- A space stays in the argument if a backslash stands before it.
  local wanted = lead:gsub("\\ ", " "):lower()
  local found = vim.tbl_filter(function(title)
    return vim.startswith(title:lower(), wanted)
  end, titles(words[1]))
  return vim.tbl_map(function(title)
    return (title:gsub(" ", "\\ "))
  end, found)
end

return M
