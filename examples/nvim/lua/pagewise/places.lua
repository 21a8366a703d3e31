---Places in PDFs as entries of a quickfix or location list.
local uri = require("pagewise.uri")
local view = require("pagewise.view")

local M = {}

---@class pagewise.Place
---@field file string
---@field page integer
---@field label? string
---@field text string
---@field match? string What to look for on the page

---@param place pagewise.Place
---@param shown? pagewise.View
---@return vim.quickfix.entry
local function entry(place, shown)
  local line = shown and shown.file == place.file and view.line_of(shown, place.page, place.match)
  local text = place.label and place.label ~= tostring(place.page) and "p. %d (%s): %s" or "p. %d%s: %s"
  return {
    bufnr = line and shown.buffer or nil,
    filename = not line and uri.build(place.file, tostring(place.page)) or nil,
    lnum = line or 1,
    text = text:format(place.page, place.label ~= tostring(place.page) and place.label or "", place.text),
    user_data = { pagewise = { page = place.page, match = place.match } },
  }
end

---Fills a list. Places on pages that `shown` shows lead there, others to buffers of their own.
---@param places pagewise.Place[]
---@param title string
---@param shown? pagewise.View
---@return { title: string, items: vim.quickfix.entry[] }
function M.list(places, title, shown)
  local items = {}
  for _, place in ipairs(places) do
    items[#items + 1] = entry(place, shown)
  end
  return { title = title, items = items }
end

return M
