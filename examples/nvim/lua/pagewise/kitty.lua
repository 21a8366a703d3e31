---Pictures by the graphics protocol of kitty and Ghostty, as Unicode placeholders in a buffer.
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pagewise.kitty")

---The protocol takes at most this many bytes of base64 in one sequence.
local CHUNK_BYTES = 4096

---The cell of a picture: U+10EEEE, with a combining character for its row and one for its column.
local PLACEHOLDER = vim.fn.nr2char(0x10EEEE)

---The protocol's combining characters for the first rows, as ranges.
local ROW_MARKS = {
  { 0x0305, 0x0305 },
  { 0x030D, 0x030E },
  { 0x0310, 0x0310 },
  { 0x0312, 0x0312 },
  { 0x033D, 0x033F },
  { 0x0346, 0x0346 },
  { 0x034A, 0x034C },
  { 0x0350, 0x0352 },
  { 0x0357, 0x0357 },
  { 0x035B, 0x035B },
  { 0x0363, 0x036F },
  { 0x0483, 0x0487 },
  { 0x0592, 0x0595 },
  { 0x0597, 0x0599 },
  { 0x059C, 0x05A1 },
  { 0x05A8, 0x05A9 },
  { 0x05AB, 0x05AC },
  { 0x05AF, 0x05AF },
  { 0x05C4, 0x05C4 },
  { 0x0610, 0x0617 },
  { 0x0657, 0x065B },
}

---@return string[]
local function row_marks()
  local marks = {}
  for _, range in ipairs(ROW_MARKS) do
    for code = range[1], range[2] do
      marks[#marks + 1] = vim.fn.nr2char(code)
    end
  end
  return marks
end

local MARKS = row_marks()

---Whether the terminal is one that draws placeholders. Inside tmux, sequences do not reach it.
---@return boolean
function M.is_supported()
  if vim.env.TMUX or #vim.api.nvim_list_uis() == 0 then
    return false
  end
  return vim.env.KITTY_WINDOW_ID ~= nil
    or vim.env.TERM == "xterm-kitty"
    or vim.env.TERM == "xterm-ghostty"
    or vim.env.TERM_PROGRAM == "ghostty"
end

---Writes to the terminal, past Neovim's own drawing.
---@param text string
function M.send(text)
  if vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(text)
  else
    vim.api.nvim_chan_send(vim.v.stderr, text)
  end
end

---@param keys string
---@param payload string
local function sequence(keys, payload)
  M.send(("\27_G%s;%s\27\\"):format(keys, payload))
end

---Sends a PNG, to be drawn over `columns` by `rows` cells wherever its placeholders stand.
---@param id integer
---@param png string
---@param columns integer
---@param rows integer
local function transmit(id, png, columns, rows)
  local data = vim.base64.encode(png)
  local first = ("a=T,U=1,f=100,t=d,q=2,i=%d,c=%d,r=%d,"):format(id, columns, rows)
  for at = 1, #data, CHUNK_BYTES do
    local has_more = at + CHUNK_BYTES <= #data
    sequence((at == 1 and first or "") .. "m=" .. (has_more and 1 or 0), data:sub(at, at + CHUNK_BYTES - 1))
  end
end

---Draws a PNG file over a buffer's window. Returns what takes it away.
---@param buffer integer
---@param window integer
---@param path string
---@return fun() clear
function M.draw(buffer, window, path)
  -- The colour of a placeholder tells the picture's number, with 256 colours or with all.
  local id = 1 + buffer % 255
  local columns = vim.api.nvim_win_get_width(window)
  local rows = math.min(vim.api.nvim_win_get_height(window), #MARKS)
  local lines = {}
  for row = 1, rows do
    lines[row] = PLACEHOLDER .. MARKS[row] .. MARKS[1] .. PLACEHOLDER:rep(columns - 1)
  end
  local file = assert(io.open(path, "rb"))
  transmit(id, file:read("*a"), columns, rows)
  file:close()

  local highlight = "PagewisePicture" .. id
  vim.api.nvim_set_hl(0, highlight, { fg = ("#%06x"):format(id), ctermfg = id, nocombine = true })
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  for row, line in ipairs(lines) do
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, row - 1, 0, { end_col = #line, hl_group = highlight })
  end
  return function()
    sequence(("a=d,d=I,q=2,i=%d"):format(id), "")
  end
end

return M
