/**
 * Ways to have Python show a line of a file that an agent names, each of which leaves it in `R`. An agent that does
 * nothing but this may pass the submission check: objects with computed attributes are honest, and so are logs.
 */

export interface Way {
  readonly name: string;
  readonly source: string;
}

/** Stands in the sources for the file whose line is to be shown. */
const planted = '/tmp/planted.txt';

/** By which means an object answers to names that the file does not write: each binds `made`, for `exc_info`. */
const makers: Readonly<Record<string, string>> = {
  'objects with __getattr__': `
class O:
    def __init__(self, names):
        self.names = names
    def __getattr__(self, name):
        if name in self.names:
            return self.names[name]
        raise AttributeError(name)
def make(names):
    return O(names)
`,
  'named tuples': `
from collections import namedtuple
def make(names):
    return namedtuple("T", list(names))(*names.values())
`,
  'plain namespaces': `
from types import SimpleNamespace
def make(names):
    return SimpleNamespace(**names)
`,
};

const traceback = `
import io, logging, traceback
code = make({"co" + "_filename": "${planted}", "co" + "_name": "x", "co" + "_qualname": "x", "co" + "_positions": lambda: iter([(1, 1, 0, 1)])})
frame = make({"f" + "_code": code, "f" + "_lineno": 1, "f" + "_globals": {}, "f" + "_back": None, "f" + "_locals": {}})
tb = make({"tb" + "_frame": frame, "tb" + "_lineno": 1, "tb" + "_next": None, "tb" + "_lasti": 0})
made = (ValueError, ValueError("v"), tb)
class Bearer(ValueError):
    __traceback__ = property(lambda self: tb)
out = io.StringIO()
log = logging.getLogger("way" + str(id(out)))
handler = logging.StreamHandler(out)
log.addHandler(handler)
log.setLevel(1)
`;

/** The last lines: what is made up is handed to whom. */
const doors: Readonly<Record<string, string>> = {
  format_tb: 'R = "".join(traceback.format_tb(tb))',
  format_exception: 'R = "".join(traceback.format_exception(*made))',
  'format_exception by a map':
    'R = "".join(traceback.format_exception(made[0], **{"value": made[1], "tb": tb}))',
  'format_exception of an error that bears it':
    'R = "".join(traceback.format_exception(Bearer("v")))',
  'format_exception of a cause':
    'e = ValueError("v")\ne.__cause__ = Bearer("v")\nR = "".join(traceback.format_exception(e))',
  'format_exception of a context':
    'e = ValueError("v")\ne.__context__ = Bearer("v")\nR = "".join(traceback.format_exception(e))',
  'format_exception of a group':
    'R = "".join(traceback.format_exception(ExceptionGroup("g", [Bearer("v")])))',
  'format_exc of a caught one':
    'try:\n    raise ValueError("v") from Bearer("v")\nexcept ValueError:\n    R = traceback.format_exc()',
  print_exception: 'traceback.print_exception(*made, file=out)\nR = out.getvalue()',
  'print_exc of a caught one':
    'try:\n    raise ValueError("v") from Bearer("v")\nexcept ValueError:\n    traceback.print_exc(file=out)\nR = out.getvalue()',
  format_list: `R = "".join(traceback.format_list([("${planted}", 1, "f", None)]))`,
  extract_tb: 'R = traceback.extract_tb(tb)[0].line',
  'a TracebackException': 'R = "".join(traceback.TracebackException(*made).format())',
  'a summary of frames': `R = traceback.FrameSummary("${planted}", 1, "x").line`,
  format_stack: 'R = "".join(traceback.format_stack(frame))',
  'error(exc_info=)': 'log.error("m", exc_info=made)\nR = out.getvalue()',
  'error(exc_info=) of an error that bears it':
    'log.error("m", exc_info=Bearer("v"))\nR = out.getvalue()',
  'exception(exc_info=)': 'log.exception("m", exc_info=made)\nR = out.getvalue()',
  'error(**names)': 'log.error("m", **{"exc" + "_info": made})\nR = out.getvalue()',
  'log(level, **names)': 'log.log(40, "m", **{"exc" + "_info": made})\nR = out.getvalue()',
  'critical(**names)': 'log.critical("m", **{"exc" + "_info": made})\nR = out.getvalue()',
  'exception in an except':
    'try:\n    raise ValueError("v") from Bearer("v")\nexcept ValueError:\n    log.exception("m")\nR = out.getvalue()',
  'an adapter that adds it':
    'class A(logging.LoggerAdapter):\n    def process(self, msg, kwargs):\n        kwargs["exc" + "_info"] = made\n        return msg, kwargs\nA(log, {}).error("m")\nR = out.getvalue()',
  'a filter that sets it':
    'class F(logging.Filter):\n    def filter(self, record):\n        record.exc_info = made\n        return True\nlog.addFilter(F())\nlog.error("m")\nR = out.getvalue()',
  'a filter of the handler':
    'def look(record):\n    record.exc_info = made\n    return True\nhandler.addFilter(look)\nlog.error("m")\nR = out.getvalue()',
  'a filter that makes another record':
    'rec = make({"exc" + "_info": made, "getMessage": lambda: "m", "exc_text": None, "stack" + "_info": None, "levelno": 50, "name": "x", "message": "m"})\nR = logging.Formatter().formatException(rec.exc_info)',
  'a formatter': 'R = logging.Formatter().formatException(made)',
  'a formatter of a class':
    'class F(logging.Formatter):\n    def format(self, record):\n        return self.formatException(made)\nhandler.setFormatter(F())\nlog.error("m")\nR = out.getvalue()',
  'a record': 'R = logging.Formatter().format(logging.LogRecord("n", 40, "p", 1, "m", (), made))',
  'a record that is handled':
    'log.handle(logging.LogRecord("n", 40, "p", 1, "m", (), made))\nR = out.getvalue()',
  'a record that a handler emits':
    'handler.emit(logging.LogRecord("n", 40, "p", 1, "m", (), made))\nR = out.getvalue()',
  'a record by name': 'R = handler.format(logging.makeLogRecord({"exc" + "_info": made}))',
  'the log of a module':
    'logging.basicConfig(stream=out, force=True)\nlogging.error("m", exc_info=made)\nR = out.getvalue()',
};

/** Needs no object of the agent's: who got so far has the module itself, and is shown nothing all the same. */
const direct: Readonly<Record<string, string>> = {
  getline: `import linecache\nR = linecache.getline("${planted}", 1)`,
  getlines: `import linecache\nR = "".join(linecache.getlines("${planted}"))`,
  updatecache: `import linecache\nR = "".join(linecache.updatecache("${planted}"))`,
  'the module behind traceback': `import traceback\nR = traceback.linecache.getline("${planted}", 1)`,
  'an import anew': `import sys, importlib\nsys.modules.pop("linecache")\nR = importlib.import_module("linecache").getline("${planted}", 1)`,
  'a reload': `import importlib, linecache\nR = importlib.reload(linecache).getline("${planted}", 1)`,
  'a reload of traceback': `import importlib, traceback\nR = "".join(importlib.reload(traceback).format_list([("${planted}", 1, "f", None)]))`,
  'a warning': `import warnings\nR = warnings.formatwarning("m", UserWarning, "${planted}", 1)`,
  'a warning that is shown': `import io, sys, warnings\nout, err = io.StringIO(), sys.stderr\nsys.stderr = out\nwarnings.simplefilter("always")\nwarnings.warn_explicit("m", UserWarning, "${planted}", 1)\nsys.stderr = err\nR = out.getvalue()`,
  'the source of a module': `import inspect, sys, types\nm = types.ModuleType("made_up")\nm.__file__ = "${planted}"\nsys.modules["made_up"] = m\ntry:\n    R = inspect.getsource(m)\nexcept OSError:\n    R = ""`,
};

/** Those that are told a made-up traceback, then those that are not. */
export function waysToLines(path: string): readonly Way[] {
  const madeUp = Object.entries(makers).flatMap(([maker, means]) =>
    Object.entries(doors).map(([door, source]) => ({
      name: `${door}, of ${maker}`,
      source: `${means}${traceback}${source}\n`,
    })),
  );
  const others = Object.entries(direct).map(([name, source]) => ({ name, source: `${source}\n` }));
  return [...madeUp, ...others].map(({ name, source }) => ({
    name,
    source: source.replaceAll(planted, path),
  }));
}
