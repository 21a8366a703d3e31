---Names of buffers that show pages: `pagewise://FILE#page=PAGES`.
local M = {}

local SCHEME = "pagewise://"

---An absolute path. What has a scheme of its own, such as a URL, stays as it is.
---@param file string
---@return string
function M.absolute(file)
  if file:match("^%a[%w+.-]+://") then
    return file
  end
  return vim.fn.fnamemodify(vim.fs.normalize(file, { expand_env = false }), ":p")
end

---@param file string
---@param pages? string
---@return string
function M.build(file, pages)
  local name = SCHEME .. M.absolute(file)
  return pages and pages ~= "" and ("%s#page=%s"):format(name, pages) or name
end

---The file and the pages that a buffer's name tells. Any other name is a path.
---@param name string
---@return string file, string? pages
function M.parse(name)
  if not vim.startswith(name, SCHEME) then
    return name
  end
  local rest = name:sub(#SCHEME + 1)
  local file, pages = rest:match("^(.*)#page=(.-)$")
  return file or rest, pages
end

return M
