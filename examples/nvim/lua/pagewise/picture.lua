---The picture of the page at the cursor, in a window beside its text.
local cli = require("pagewise.cli")
local config = require("pagewise.config")
local view = require("pagewise.view")

local M = {}

---@class pagewise.Picture
---@field buffer integer
---@field window integer
---@field page? integer The page that is drawn or on its way
---@field job? pagewise.Job
---@field clear? fun()

---@type table<integer, pagewise.Picture>
local pictures = {}

---@class pagewise.Backend
---@field is_supported fun(): boolean
---@field draw fun(buffer: integer, window: integer, path: string): fun()

---@type table<string, pagewise.Backend>
local backends = {
  kitty = require("pagewise.kitty"),
  snacks = {
    is_supported = function()
      local snacks = rawget(_G, "Snacks")
      return snacks ~= nil and snacks.image ~= nil and snacks.image.supports_terminal()
    end,
    draw = function(buffer, _, path)
      local placement = Snacks.image.placement.new(buffer, path, { conceal = true, auto_resize = true })
      return function()
        placement:close()
      end
    end,
  },
  image = {
    is_supported = function()
      local ok, image = pcall(require, "image")
      return ok and pcall(image.get_images)
    end,
    draw = function(buffer, window, path)
      local place = { buffer = buffer, window = window, x = 0, y = 0, max_height_window_percentage = 100 }
      local picture = require("image").from_file(path, place)
      picture:render()
      return function()
        picture:clear()
      end
    end,
  },
}

---What can draw a picture here, by the setting `picture`.
---@return pagewise.Backend?, string? name
function M.backend()
  local wanted = config.get().picture
  for _, name in ipairs(wanted == "auto" and { "snacks", "image", "kitty" } or { wanted }) do
    local backend = backends[name]
    if backend and backend.is_supported() then
      return backend, name
    end
  end
end

---@param picture pagewise.Picture
local function clear(picture)
  if picture.clear then
    pcall(picture.clear)
    picture.clear = nil
  end
end

---Draws a file, which stays as long as its picture: some terminals read it later.
---@param picture pagewise.Picture
---@param backend pagewise.Backend
---@param path string
local function draw(picture, backend, path)
  clear(picture)
  if not vim.api.nvim_win_is_valid(picture.window) then
    vim.uv.fs_unlink(path)
    return
  end
  local take_away = backend.draw(picture.buffer, picture.window, path)
  picture.clear = function()
    vim.uv.fs_unlink(path)
    take_away()
  end
end

---@param shown pagewise.View
local function close(shown)
  local picture = pictures[shown.buffer]
  pictures[shown.buffer] = nil
  if not picture then
    return
  end
  if picture.job then
    picture.job:kill()
  end
  clear(picture)
  pcall(vim.api.nvim_buf_delete, picture.buffer, { force = true })
end

---Draws the page at the cursor, if it is not there already.
---@param shown pagewise.View
---@param backend pagewise.Backend
local function update(shown, backend)
  local picture, page = pictures[shown.buffer], view.page_at(shown)
  if not picture or not page or picture.page == page.number then
    return
  end
  picture.page = page.number
  if picture.job then
    picture.job:kill()
  end
  local path = vim.fn.tempname() .. ".png"
  local arguments = { "render", "--json", "--dpi", tostring(config.get().picture_dpi), "--out", path }
  vim.list_extend(arguments, { "--", shown.file, tostring(page.number) })
  picture.job = cli.run(arguments, { json = true, password = shown.password }, function(err)
    picture.job = nil
    if err then
      return cli.notify(err)
    end
    draw(picture, backend, path)
  end)
end

---@return pagewise.Picture
local function open_window()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  local width = math.floor(vim.api.nvim_win_get_width(0) * config.get().picture_width)
  local window = vim.api.nvim_open_win(buffer, false, { split = "right", width = width, style = "minimal" })
  vim.wo[window].wrap = false
  vim.wo[window].winfixwidth = true
  return { buffer = buffer, window = window }
end

---Shows the picture of the page at the cursor, or hides it. It follows the cursor.
---@param shown pagewise.View
function M.toggle(shown)
  if pictures[shown.buffer] then
    return close(shown)
  end
  local backend = M.backend()
  if not backend then
    local text = "pagewise: nothing here draws pictures (see :checkhealth pagewise)"
    return vim.notify(text, vim.log.levels.WARN)
  end
  local picture = open_window()
  pictures[shown.buffer] = picture
  local group = vim.api.nvim_create_augroup("pagewise.picture." .. shown.buffer, { clear = true })
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    buffer = shown.buffer,
    callback = function()
      update(shown, backend)
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = picture.buffer,
    callback = function()
      vim.api.nvim_del_augroup_by_id(group)
      close(shown)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufUnload", "BufHidden" }, {
    group = group,
    buffer = shown.buffer,
    callback = function()
      vim.schedule(function()
        close(shown)
      end)
    end,
  })
  update(shown, backend)
end

return M
