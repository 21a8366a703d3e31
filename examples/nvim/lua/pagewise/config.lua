---Settings, with their defaults.
local M = {}

---@class pagewise.Config
---@field command string[] The program and arguments that stand before each command
---@field page_limit integer Pages that a view loads at once, if none were named
---@field max_chars integer Characters of text in one view
---@field max_answer_bytes integer Bytes that one answer of the program may have
---@field timeout_ms integer Time for one answer
---@field picture "auto"|"kitty"|"snacks"|"image"|"none" What draws the picture of a page
---@field picture_dpi integer Pixels per inch of that picture
---@field picture_width number Part of the window's width that the picture takes
local defaults = {
  command = { "pagewise" },
  page_limit = 20,
  max_chars = 400000,
  max_answer_bytes = 64 * 1024 * 1024,
  timeout_ms = 60000,
  picture = "auto",
  picture_dpi = 110,
  picture_width = 0.45,
}

local current = vim.deepcopy(defaults)

---Changes settings. Those that are not named keep their defaults.
---@param settings? table
function M.set(settings)
  local merged = vim.tbl_extend("force", vim.deepcopy(defaults), settings or {})
  for name in pairs(merged) do
    if defaults[name] == nil then
      error(("pagewise: there is no setting %q"):format(name))
    end
    if type(merged[name]) ~= type(defaults[name]) then
      error(("pagewise: the setting %q is a %s"):format(name, type(defaults[name])))
    end
  end
  current = merged
end

---@return pagewise.Config
function M.get()
  return current
end

return M
