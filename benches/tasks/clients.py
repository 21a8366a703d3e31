"""What reaches the model of each client, as seen in trials against a stand-in for its provider, and what it costs there."""

import base64
import json
import math
from dataclasses import dataclass
from typing import Callable

try:
    import bpe_openai

    ENCODING = bpe_openai.get_encoding("o200k_base")
except ImportError:
    try:
        import tiktoken

        ENCODING = tiktoken.get_encoding("o200k_base")
    except Exception:
        ENCODING = None


def tokens(text):
    """Tokens of a text."""
    return len(ENCODING.encode(text)) if ENCODING else math.ceil(len(text) / 4)


def picture_cost(provider, width, height):
    """Tokens of a picture by the rule that its provider publishes."""
    if provider == "anthropic":
        scale = min(1, 1568 / max(width, height))
        return min(1568, math.ceil(width * scale * height * scale / 750))
    if provider == "openai":
        scale = min(1, 2048 / max(width, height))
        width, height = width * scale, height * scale
        scale = min(1, 768 / min(width, height))
        return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    tiles = 1 if max(width, height) <= 384 else math.ceil(width / 768) * math.ceil(height / 768)
    return 258 * tiles


def page_cost(provider, text):
    """Tokens of a one-page PDF: its text and a picture of it; Gemini counts a fixed amount."""
    return 258 if provider == "google" else tokens(text) + picture_cost(provider, 1224, 1584)


@dataclass
class Client:
    """A client, and the provider whose rules its pictures are counted by."""

    provider: str
    seen: Callable
    # Whether it sends a cancellation after each answer.
    cancels: bool = False
    # Whether it saves a PDF and lets the model read it with another call, which costs so many tokens.
    reads_saved: bool = False
    read_tokens: int = 0


def parts(result):
    """The content blocks as (kind, text or bytes)."""
    for block in result["content"]:
        if block["type"] == "text":
            yield "text", block["text"]
        elif block["type"] == "image":
            yield "image", base64.b64decode(block["data"])
        else:
            yield "pdf", base64.b64decode(block["resource"]["blob"])


def structure_or(blocks):
    """Shows structured content alone where there is any."""

    def seen(result):
        if "structuredContent" in result:
            return [("text", json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":")))]
        return blocks(result)

    return seen


SAVED_PATH = "/home/user/.claude/projects/-home-user-project/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9/tool-results/mcp-pagewise-blob-1795436264879-qehpgk"
SAVED_PDF = f"[Resource from pagewise at pagewise://{'0a' * 32}/page/1.pdf] Binary content (application/pdf, 103.4KB) saved to {SAVED_PATH}.pdf"


def claude_code(result):
    """Claude Code 2.1.330: a PDF is saved and named, a picture is passed on and named."""
    seen = []
    for kind, part in parts(result):
        seen.append((kind, part))
        if kind == "pdf":
            seen.append(("text", SAVED_PDF))
        elif kind == "image":
            seen.append(("text", f"[Image: source: {SAVED_PATH}.png]"))
    return seen


def codex(result):
    """Codex 0.169: pictures are passed on, a PDF becomes text in base64."""
    head = [("text", "Wall time: 0.2665 seconds\nOutput:")]
    blocks = [
        ("text", json.dumps({"resource": {"blob": base64.b64encode(part).decode()}})) if kind == "pdf" else (kind, part)
        for kind, part in parts(result)
    ]
    return head + blocks


def gemini_cli(result):
    """gemini-cli 0.61: each text is wrapped, media follow it, and an error is passed on as JSON with its `_meta`."""
    if result.get("isError"):
        dump = json.dumps({"functionResponse": {"name": "get_file", "response": result}}, separators=(",", ":"))
        return [("text", f"MCP tool 'get_file' reported tool error for function call: {{}} with response: [{dump}]")]
    seen = []
    for kind, part in parts(result):
        if kind == "text":
            seen.append(("text", f"<untrusted_context>\n{part}\n</untrusted_context>"))
        else:
            seen.append(("text", "[Tool 'get_file' provided the following embedded resource with mime-type: application/pdf]"))
            seen.append((kind, part))
    return seen


def opencode(result):
    """opencode 1.18 with a model of Anthropic: PDFs and pictures are passed on after one text."""
    blocks = list(parts(result))
    texts = "\n\n".join(part for kind, part in blocks if kind == "text")
    return [("text", texts)] + [(kind, part) for kind, part in blocks if kind != "text"]


CLIENTS = {
    "claude-code": Client(
        "anthropic", structure_or(claude_code), reads_saved=True, read_tokens=2 * tokens(f'{{"file_path":"{SAVED_PATH}.pdf"}}') + 20
    ),
    "codex-mcp-client": Client("openai", structure_or(codex)),
    "gemini-cli-mcp-client": Client("google", gemini_cli),
    "opencode": Client("anthropic", opencode, cancels=True),
}
