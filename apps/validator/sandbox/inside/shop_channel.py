"""The one way out of the sandbox: a socket to the validator, a line of JSON each way.

A line that the validator would not read ends the task. So the agent is told of what is no JSON, or too long,
before anything is written, and may go on.
"""

import json
import os
import threading
from itertools import accumulate

CHANNEL = 3
# As channel.ts has them.
LINE_BYTES_MAX = 4_000_000
LEVELS_MAX = 64
PARTS_MAX = 50_000
TOOL_NAME_MAX = 50

_PROCESS = os.getpid()
_OPENING = b"[{"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")

# From a call to its answer, which belongs to whoever asked.
_turn = threading.Lock()
# For one line: a long one goes in pieces, between which another thread would write.
_writing = threading.Lock()
# What was read; each step takes from one to the next, so that whoever is left without memory loses nothing of it.
_chunk = b""
_pending = bytearray()
# Lines that are to come: more than one where a caller was not there any more to take his own.
_awaited = 1


class ToolError(Exception):
    """What was asked was not done; the text says why."""


def note(message):
    """Of a process that the agent forked nobody is told anything."""
    if os.getpid() == _PROCESS:
        _write(_encoded(message))


def receive():
    """The answer to the last call: what came for those before it is nobody's any more."""
    global _awaited
    while True:
        end = _end_of_line()
        line = b"" if _awaited > 1 else _pending[:end]
        del _pending[: end + 1]
        _awaited -= 1
        if _awaited == 0:
            return json.loads(line)


def call(tool, **arguments):
    global _awaited
    line = _line_of(tool, arguments)
    with _turn:
        _write(line)
        _awaited += 1
        answer = receive()
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer["result"]


def _end_of_line():
    global _chunk
    while True:
        end = _pending.find(b"\n")
        if end >= 0:
            return end
        _chunk = _chunk or os.read(CHANNEL, 65536)
        if not _chunk:
            raise ConnectionError("the validator has closed the channel")
        _pending.extend(_chunk)
        _chunk = b""


def _line_of(tool, arguments):
    if os.getpid() != _PROCESS:
        # It would take the answers to its parent's calls.
        raise ToolError("a process that the agent forked cannot call tools; a thread can")
    if not isinstance(tool, str) or len(tool) > TOOL_NAME_MAX:
        raise ToolError(f"the name of a tool is a text of at most {TOOL_NAME_MAX} characters")
    try:
        line = _encoded({"call": tool, "arguments": arguments})
    except (RecursionError, TypeError, ValueError) as error:
        raise ToolError(f"{tool}: {error}") from None
    excess = _excess_of(line)
    if excess is not None:
        raise ToolError(f"{tool}: the call {excess}")
    return line


def _encoded(message):
    """Half of a surrogate pair has no UTF-8, and goes as the escape that JSON has for it."""
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _excess_of(line):
    """Counted in the line itself, as the validator does before it reads it."""
    length = len(line) - 1
    if length > LINE_BYTES_MAX:
        return f"has {length} bytes as JSON, and may have {LINE_BYTES_MAX}"
    too_many = f"holds more than {PARTS_MAX} lists, dicts and texts"
    # What is left of quotes begins or ends a text.
    plain = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    texts = plain.count(b'"') // 2
    if texts > PARTS_MAX:
        return too_many
    brackets = b"".join(plain.split(b'"')[::2]).translate(None, _NO_BRACKETS)
    if texts + len(brackets) // 2 > PARTS_MAX:
        return too_many
    levels = max(accumulate(1 if each in _OPENING else -1 for each in brackets))
    return f"nests deeper than {LEVELS_MAX} levels" if levels > LEVELS_MAX else None


def _write(line):
    left = memoryview(line)
    with _writing:
        while left:
            left = left[os.write(CHANNEL, left) :]
