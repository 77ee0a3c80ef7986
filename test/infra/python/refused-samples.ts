/** Files that must be refused, and how: 400 for an insecure library, 422 for everything else. */
export interface RefusedSample {
  readonly id: string;
  readonly code: string;
  readonly as: 'invalid' | 'violations';
  /** A rule that must be among the violations. */
  readonly rule?: string;
}

const p = (id: string, as: RefusedSample['as'], code: string, rule?: string): RefusedSample => ({
  ...{ id, as, code },
  ...(rule !== undefined && { rule }),
});

/** The published samples, word for word. */
export const publishedRefused: readonly RefusedSample[] = [
  p('P01', 'violations', 'import os as o\nR=o.getpid()', 'attribute-not-listed'),
  p('P03', 'violations', 'from \\\n  os import \\\n  getpid as g\nR=g()', 'attribute-not-listed'),
  p('P08', 'violations', 'R=__import__("o"+"s").getpid()', 'dunder-access'),
  p('P09', 'invalid', 'import importlib as i\nR=i.import_module("os").getpid()'),
  p(
    'P17',
    'violations',
    'b=__builtins__\nR=(b if isinstance(b,dict) else b.__dict__)["ev"+"al"]("1+1")',
    'dunder-access',
  ),
  p('P24', 'violations', 'e=eval\nR=e("1+1")', 'forbidden-builtin'),
  p(
    'P35',
    'violations',
    'R=[c for c in ().__class__.__base__.__subclasses__() if c.__name__=="_wrap_close"][0].__init__.__globals__["getpid"]()',
    'dunder-access',
  ),
  p('P49', 'invalid', 'import sys\nR=sys.modules["os"].getpid()'),
  p('P58', 'invalid', 'from ctypes import CDLL\nR=CDLL(None).getpid()'),
  p('P61', 'invalid', 'import pickle\nR=pickle.loads(b"cos\\ngetpid\\n(tR.")'),
  p('P64', 'violations', 'R=\uff45val("1+1")', 'forbidden-builtin'),
  p('P75', 'violations', 'o=open\nR=o("/etc/hostname").read() or 1', 'file-access'),
];

const base64Blob = Buffer.from(
  Array.from({ length: 600 }, (_, i) => (i * 7919 + ((i * i * 31) % 251)) % 256),
).toString('base64');
const hexTable = Array.from(
  { length: 80 },
  (_, i) => `"${(BigInt(i + 1) * 0x9e3779b97f4a7c15n).toString(16).padStart(20, '0')}": ${i},`,
).join('\n');

export const ownRefused: readonly RefusedSample[] = [
  // Ways to a module.
  p('import in a function', 'invalid', 'def f():\n    import subprocess\n'),
  p(
    'import behind a condition',
    'invalid',
    'try:\n    import socket\nexcept ImportError:\n    socket = None\n',
  ),
  p('relative import', 'invalid', 'from . import agent\n'),
  p('submodule of a partly listed package', 'invalid', 'import urllib.request\n'),
  p('submodule from a partly listed package', 'invalid', 'from urllib import request\n'),
  p('third-party library', 'invalid', 'import numpy as np\n'),
  p(
    'module through a listed module',
    'violations',
    'import random\nrandom._os.getpid()\n',
    'attribute-not-listed',
  ),
  p(
    'module from a listed module',
    'violations',
    'from json import codecs\n',
    'attribute-not-listed',
  ),
  p(
    'module through a submodule',
    'violations',
    'import os.path as q\nq.os.getpid()\n',
    'attribute-not-listed',
  ),
  p('module as a value', 'violations', 'import os\nm = os\nm.getpid()\n', 'module-as-value'),
  p(
    'module as an argument',
    'violations',
    'import os\nR = getattr(os, "getpid")()\n',
    'module-as-value',
  ),
  p(
    'module in a class body',
    'violations',
    'class A:\n    import os\nA.os.getpid()\n',
    'import-in-class',
  ),
  p('module replaced', 'violations', 'import json\njson.loads = print\n', 'module-patch'),
  p(
    'environment as a whole',
    'violations',
    'import os\nprint(dict(os.environ))\n',
    'attribute-not-listed',
  ),
  p(
    'environment by name',
    'violations',
    'from os import environ as e\ne.pop("X")\n',
    'attribute-not-listed',
  ),
  p(
    'module declared global',
    'violations',
    'def f():\n    global q\n    import os as q\ndef g():\n    return q.getpid()\n',
    'attribute-not-listed',
  ),
  p(
    'module declared nonlocal',
    'violations',
    'def a():\n    q = 1\n    def b():\n        nonlocal q\n        import os as q\n    b()\n    return q.getpid()\n',
    'attribute-not-listed',
  ),
  p('star import', 'violations', 'from types import *\n', 'star-import'),
  p(
    'interpreter through an agent package',
    'violations',
    'import paddock_agent\npaddock_agent.os.getpid()\n',
    'attribute-not-listed',
  ),
  p('stream of the process', 'violations', 'import sys\ns = sys.stdout\n', 'attribute-not-listed'),
  // Strings as code.
  p('exec in a lambda', 'violations', 'f = lambda s: exec(s)\n', 'forbidden-builtin'),
  p('eval as a default', 'violations', 'def f(g=eval):\n    return g("1")\n', 'forbidden-builtin'),
  p('eval as a decorator', 'violations', '@eval\ndef f(): pass\n', 'forbidden-builtin'),
  p(
    'eval behind a binding that never runs',
    'violations',
    'if 0:\n    eval = 1\nR = eval("1")\n',
    'forbidden-builtin',
  ),
  p(
    'eval in a class body',
    'violations',
    'class A:\n    if 0: eval = 1\n    r = eval("1")\n',
    'forbidden-builtin',
  ),
  p('eval inside an f-string', 'violations', 'R = f"{eval(\'1\')!r:>{10}}"\n', 'forbidden-builtin'),
  p(
    'eval in a match guard',
    'violations',
    'match 1:\n    case x if eval("1"): pass\n',
    'forbidden-builtin',
  ),
  p('compile', 'violations', 'c = compile("1", "", "eval")\n', 'forbidden-builtin'),
  p('globals', 'violations', 'globals()["x"] = 1\n', 'forbidden-builtin'),
  p('vars of a class', 'violations', 'v = vars(type)\n', 'forbidden-builtin'),
  // Attributes by name.
  p(
    'getattr with a computed name',
    'violations',
    'n = "a"\ngetattr(n, "__cl" + "ass__")\n',
    'dynamic-attribute',
  ),
  p('getattr with a dunder', 'violations', 'getattr(1, "__class__")\n', 'dynamic-attribute'),
  p(
    'getattr with an escaped dunder',
    'violations',
    'getattr(1, "\\x5f\\x5fclass__")\n',
    'dynamic-attribute',
  ),
  p(
    'getattr as a value',
    'violations',
    'import functools\nfunctools.reduce(getattr, "a.b".split("."), 1)\n',
    'dynamic-attribute',
  ),
  p(
    'getattr with unpacked arguments',
    'violations',
    'getattr(*[1, "__class__"])\n',
    'dynamic-attribute',
  ),
  p(
    'setattr of a dunder',
    'violations',
    'class A: pass\nsetattr(A, "__match_args__", ("x",))\n',
    'dynamic-attribute',
  ),
  p(
    'attrgetter with a dunder',
    'violations',
    'import operator\noperator.attrgetter("a.__globals__")(1)\n',
    'dynamic-attribute',
  ),
  p(
    'attrgetter as a value',
    'violations',
    'from operator import attrgetter as g\nh = g\n',
    'dynamic-attribute',
  ),
  p(
    'pattern that reads a dunder',
    'violations',
    'match print:\n    case object(__self__=b): pass\n',
    'dunder-access',
  ),
  p(
    'match_args that name a dunder',
    'violations',
    'class A:\n    __match_args__ = ("__globals__",)\n',
    'dynamic-attribute',
  ),
  p(
    'match_args made up',
    'violations',
    'class A:\n    __match_args__ = tuple(["x"])\n',
    'dynamic-attribute',
  ),
  p('format that walks', 'violations', 'R = "{0.__class__}".format(1)\n', 'format-traversal'),
  p(
    'format that walks by key',
    'violations',
    't = "{a[__globals__]}"\nt.format_map({})\n',
    'format-traversal',
  ),
  // Introspection.
  p('dunder in wide letters', 'violations', 'x = ().__\uff43lass__\n', 'dunder-access'),
  p(
    'frame of a generator',
    'violations',
    'g = (i for i in [])\ng.gi_frame.f_globals\n',
    'frame-access',
  ),
  p(
    'frame of a traceback',
    'violations',
    'try: 1/0\nexcept Exception as e: f = e.__traceback__.tb_frame\n',
    'frame-access',
  ),
  p('code of a function', 'violations', 'def f(): pass\nf.__code__ = None\n', 'dunder-access'),
  p('class through type', 'violations', 'type(1).mro()\n', 'frame-access'),
  p('class built by type', 'violations', 'A = type("A", (), {})\n', 'dynamic-class'),
  p(
    'class built by a metaclass',
    'violations',
    'import abc\nA = abc.ABCMeta("A", (), {})\n',
    'dynamic-class',
  ),
  p('annotations as code', 'violations', 'class A:\n    __annotations__ = {}\n', 'dunder-access'),
  p(
    'an import under an internal name',
    'violations',
    'import json as __builtins__\n',
    'dunder-access',
  ),
  p('loader of the module', 'violations', '__loader__.load_module("os")\n', 'dunder-access'),
  // Files.
  p('open for reading', 'violations', 'with open("x") as f: pass\n', 'file-access'),
  p('open in a comprehension', 'violations', '[open(p).read() for p in ["x"]]\n', 'file-access'),
  p('log file', 'violations', 'import logging\nlogging.basicConfig(filename="x")\n', 'file-access'),
  p(
    'log file by unpacking',
    'violations',
    'import logging\nlogging.basicConfig(**{"filename": "x"})\n',
    'file-access',
  ),
  p(
    'log handler',
    'violations',
    'import logging\nlogging.FileHandler("x")\n',
    'attribute-not-listed',
  ),
  p('file object of io', 'violations', 'from io import FileIO\n', 'attribute-not-listed'),
  // Answers in the file.
  p('base64 blob', 'violations', `D = "${base64Blob}"\n`, 'encoded-data'),
  p(
    'base64 blob in pieces',
    'violations',
    `D = (${base64Blob.replace(/.{76}/g, '"$&"\n').replace(/\n([^"]+)$/, '\n"$1"')})\n`,
    'encoded-data',
  ),
  p('bytes blob', 'violations', `D = b"${'\\x01\\x9f'.repeat(300)}"\n`, 'encoded-data'),
  p('number blob', 'violations', `D = 1${'0123456789'.repeat(40)}\n`, 'encoded-data'),
  p('table of hashes', 'violations', `D = {\n${hexTable}\n}\n`, 'opaque-table'),
  // A native event loop has these; CPython as WebAssembly has another, so the corpus cannot.
  p(
    'process by a loop',
    'violations',
    'import asyncio\nR = asyncio.new_event_loop()._make_subprocess_transport\n',
    'file-access',
  ),
  p(
    'socket by a spy on a loop',
    'violations',
    'import asyncio\nclass L(type(asyncio.new_event_loop())):\n    def __setattr__(self, n, v):\n        R.append(v)\n',
    'dynamic-class',
  ),
  p(
    'lines of a file that a loop is told',
    'violations',
    'import asyncio\nloop = asyncio.new_event_loop()\nloop.call_exception_handler({"message": "m", "source_traceback": [("/tmp/planted.txt", 1, "x", None)]})\n',
    'file-access',
  ),
  p(
    'lines of a file that a handler of a loop adds',
    'violations',
    'import asyncio\ndef mine(loop, context):\n    context["handle_traceback"] = [("/tmp/planted.txt", 1, "x", None)]\n    loop.default_exception_handler(context)\nasyncio.new_event_loop().set_exception_handler(mine)\n',
    'file-access',
  ),
  p(
    'lines of a file that a loop is told by name',
    'violations',
    'import asyncio\nhandle = getattr(asyncio.new_event_loop(), "default_exception_handler")\nhandle({"message": "m", "source_traceback": [("/tmp/planted.txt", 1, "x", None)]})\n',
    'dynamic-attribute',
  ),
  p(
    'a setter with more parameters than Python gives',
    'violations',
    'class A:\n    def __setattr__(self, name, value, *rest):\n        object.__setattr__(self, name, value)\n',
    'dunder-access',
  ),
];
