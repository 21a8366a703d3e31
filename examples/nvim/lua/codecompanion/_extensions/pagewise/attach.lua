---Pages in the messages of a chat: added after the results of tools, and forgotten once they are gone.
local config = require("codecompanion.config")
local pagewise = require("pagewise")
local tags = require("codecompanion.interactions.shared.tags")
local uri = require("pagewise.uri")

local M = {}

---@class pagewise.companion.Attachment
---@field tag string The plugin's tag of such messages
---@field mimetype string
---@field data string Base64
---@field title string

---@class pagewise.companion.Parts
---@field text string
---@field attachments pagewise.companion.Attachment[]
---@field sent { page: integer, form: string }[]
---@field file string

---@class pagewise.companion.Record What the chat was sent
---@field file string
---@field page? integer None for a summary or a text
---@field is_in fun(chat: CodeCompanion.Chat): boolean

---@class pagewise.companion.Companion
---@field chat CodeCompanion.Chat
---@field memory pagewise.Chat
---@field records pagewise.companion.Record[]
---@field waiting pagewise.companion.Attachment[]
---@field is_cleared boolean The chat was emptied, and its memory was not yet
local Companion = {}
Companion.__index = Companion

---@type table<integer, pagewise.companion.Companion>
local companions = {}

---The attachments and the text of an answer, which names the attachments, as messages have no titles.
---@param answer pagewise.Answer
---@param file string
---@return pagewise.companion.Parts
function M.parts(answer, file)
  local texts, attachments, sent = {}, {}, answer.details.sent or {}
  local next_page = vim.iter(sent):filter(function(page)
    return page.form == "document" or page.form == "image"
  end)
  for _, block in ipairs(answer.content) do
    if block.type == "text" then
      texts[#texts + 1] = block.text
    elseif block.source and block.source.data then
      local page = next_page:next()
      local default = page and ("%s - Page %d"):format(vim.fs.basename(file), page.page) or vim.fs.basename(file)
      attachments[#attachments + 1] = {
        tag = block.type == "document" and tags.DOCUMENT or tags.IMAGE,
        mimetype = block.source.media_type,
        data = block.source.data,
        title = block.title or default,
      }
    end
  end
  if #attachments > 0 then
    local titles = vim.tbl_map(function(attachment)
      return attachment.title
    end, attachments)
    texts[#texts + 1] = "Attached below, in this order: " .. table.concat(titles, "; ")
  end
  return { text = table.concat(texts, "\n\n"), attachments = attachments, sent = sent, file = uri.absolute(file) }
end

---@param attachment pagewise.companion.Attachment
---@return string
local function id_of(attachment)
  return ("<pdf>%s</pdf>"):format(attachment.title)
end

---Whether a message of the chat still has this attachment, and the adapter sends such.
---@param chat CodeCompanion.Chat
---@param attachment pagewise.companion.Attachment
---@return boolean
local function holds(chat, attachment)
  local able = chat.adapter.opts or {}
  if not (attachment.tag == tags.DOCUMENT and able.documents or attachment.tag == tags.IMAGE and able.vision) then
    return false
  end
  return vim.iter(chat.messages):any(function(message)
    return message.content == attachment.data
  end)
end

---@param chat CodeCompanion.Chat
---@param text string
---@return boolean
local function has_text(chat, text)
  return vim.iter(chat.messages):any(function(message)
    return type(message.content) == "string" and message.content:find(text, 1, true) ~= nil
  end)
end

---@param companion pagewise.companion.Companion
---@param parts pagewise.companion.Parts
local function record(companion, parts)
  local function is_text_in(chat)
    return has_text(chat, parts.text)
  end
  if #parts.sent == 0 then
    table.insert(companion.records, { file = parts.file, is_in = is_text_in })
  end
  local attached = 0
  for _, page in ipairs(parts.sent) do
    local is_attached = page.form == "document" or page.form == "image"
    attached = attached + (is_attached and 1 or 0)
    local attachment = is_attached and parts.attachments[attached]
    table.insert(companion.records, {
      file = parts.file,
      page = page.page,
      is_in = attachment and function(chat)
        return vim.list_contains(companion.waiting, attachment) or holds(chat, attachment)
      end or is_text_in,
    })
  end
end

---@param attachment pagewise.companion.Attachment
function Companion:attach(attachment)
  self.chat:add_message({ role = config.constants.USER_ROLE, content = attachment.data }, {
    visible = false,
    -- Adapters name the file by the last part of this path.
    context = { id = id_of(attachment), mimetype = attachment.mimetype, path = attachment.title .. ".pdf" },
    _meta = { tag = attachment.tag, filetype = attachment.tag == tags.DOCUMENT and "pdf" or nil },
  })
end

---Keeps attachments until the results of all tools are there, since providers want those first.
---@param parts pagewise.companion.Parts
function Companion:queue(parts)
  record(self, parts)
  vim.list_extend(self.waiting, parts.attachments)
end

---Adds what waits, and what changed in the files that the chat holds.
function Companion:flush()
  if self.chat:has_orphaned_tool_calls() then
    return
  end
  local waiting = self.waiting
  self.waiting = {}
  for _, attachment in ipairs(waiting) do
    self:attach(attachment)
  end
  for _, change in ipairs(self.memory:changes()) do
    self.chat:add_message({ role = config.constants.USER_ROLE, content = change }, { visible = false })
  end
end

---Adds pages that the user chose. Each can be removed where the chat lists its context.
---@param parts pagewise.companion.Parts
---@param file string
---@param pages? string
function Companion:add(parts, file, pages)
  record(self, parts)
  for _, attachment in ipairs(parts.attachments) do
    self:attach(attachment)
    self.chat.context:add({ id = id_of(attachment), source = "pagewise" })
  end
  if #parts.attachments == 0 then
    local id = ("<pdf>%s%s</pdf>"):format(vim.fs.basename(file), pages and (", pages " .. pages) or "")
    self.chat:add_context({ content = parts.text }, "pagewise", id)
  end
end

---Takes out the records of what is no longer in the chat's messages.
---@param companion pagewise.companion.Companion
---@return table<string, { file: string, pages?: string }> lost By file; without pages, all of it
local function take_lost(companion)
  local lost, kept = {}, {}
  for _, sent in ipairs(companion.records) do
    if sent.is_in(companion.chat) then
      kept[#kept + 1] = sent
    else
      local earlier = lost[sent.file]
      local pages = sent.page and tostring(sent.page)
      if earlier and pages then
        pages = earlier.pages and ("%s,%s"):format(earlier.pages, pages)
      end
      lost[sent.file] = { file = sent.file, pages = pages }
    end
  end
  companion.records = kept
  return lost
end

---Forgets the pages that are no longer in the chat's messages.
---@param on_done fun()
function Companion:forget_lost(on_done)
  if self.is_cleared then
    self.is_cleared, self.records, self.waiting = false, {}, {}
    self.memory:forget(nil, on_done)
    return
  end
  local lost = take_lost(self)
  local left = vim.tbl_count(lost)
  if left == 0 then
    return on_done()
  end
  for _, what in pairs(lost) do
    self.memory:forget(what, function()
      left = left - 1
      if left == 0 then
        on_done()
      end
    end)
  end
end

---@param chat CodeCompanion.Chat
---@return pagewise.companion.Companion
local function new(chat)
  local companion = setmetatable({
    chat = chat,
    memory = pagewise.chat(chat.session_id),
    records = {},
    waiting = {},
    is_cleared = false,
  }, Companion)
  chat:add_callback("on_checkpoint", function()
    companion:flush()
  end)
  chat:add_callback("on_closed", function()
    companion.memory:close()
    companions[chat.id] = nil
  end)
  vim.api.nvim_create_autocmd("User", {
    group = chat.aug,
    pattern = "CodeCompanionChatCleared",
    callback = function(event)
      if event.data.id == chat.id then
        companion.is_cleared = true
      end
    end,
  })
  companion.memory:follow()
  return companion
end

---The pages of a chat.
---@param chat CodeCompanion.Chat
---@return pagewise.companion.Companion
function M.of(chat)
  companions[chat.id] = companions[chat.id] or new(chat)
  return companions[chat.id]
end

return M
