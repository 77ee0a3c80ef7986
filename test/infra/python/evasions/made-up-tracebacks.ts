import { evasionsOf } from './evasion.ts';

/** Objects whose attributes the file does not name, as a traceback and as a log record. */
const madeUp = `import io, logging
class O:
    def __init__(self, kw):
        self.kw = kw
    def __getattr__(self, n):
        v = self.kw
        if n in v:
            return v[n]
        raise AttributeError(n)
code = O({"co" + "_filename": "/tmp/planted.txt", "co" + "_name": "x", "co" + "_positions": lambda: iter(())})
frame = O({"f" + "_code": code, "f" + "_lineno": 1, "f" + "_globals": {}, "f" + "_back": None, "f" + "_locals": {}})
tb = O({"tb" + "_frame": frame, "tb" + "_lineno": 1, "tb" + "_next": None, "tb" + "_lasti": -1})
made = (ValueError, ValueError("v"), tb)
rec = O({"exc" + "_info": made, "getMessage": lambda: "m", "exc_text": None, "stack" + "_info": None, "levelno": 50, "name": "x", "message": "m"})
`;

const ownCoroutine = `import asyncio
from collections.abc import Coroutine
class F(Coroutine):
    def send(self, v):
        return None
    def throw(self, *a):
        raise asyncio.CancelledError()
    def close(self):
        return None
    def __await__(self):
        return self
    def __getattr__(self, n):
        if n == "cr" + "_frame":
            return frame
        raise AttributeError(n)
t = asyncio.Task(F(), loop=asyncio.new_event_loop())
out = io.StringIO()
`;

export const madeUpTracebacks = [
  ...evasionsOf('lines of a file, by an event loop', {
    'of a task whose coroutine is made up': [
      'FILE',
      'text',
      `${madeUp}${ownCoroutine}t.print_stack(file=out)\nR = out.getvalue()`,
    ],
    'of a task whose coroutine is made up, by name': [
      'FILE',
      'text',
      `${madeUp}${ownCoroutine}getattr(t, "print_stack")(file=out)\nR = out.getvalue()`,
    ],
  }),
];
