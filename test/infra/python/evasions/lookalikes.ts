import { evasionsOf } from './evasion.ts';

export const lookalikes = [
  ...evasionsOf('tracebacks of named tuples', {
    'made traceback': [
      'FILE',
      'text',
      'import traceback\ndef f(x):\n    return type(x)\nm = f(int)\nclass E:\n    pass\ncode = m("C", (), {"co_" + "filename": "/tmp/planted.txt", "co_" + "name": "n", "co_" + "positions": lambda *a: iter([(1, 1, 0, 1)])})\nframe = m("F", (), {"f_" + "code": code, "f_" + "lineno": 1, "f_" + "globals": {}, "f_" + "locals": {}})\ntb = m("T", (), {"tb_" + "frame": frame, "tb_" + "lineno": 1, "tb_" + "lasti": 0, "tb_" + "next": None})\nR = "".join(traceback.format_exception(ValueError, ValueError("x"), tb))',
    ],
    'namedtuple frames module': [
      'FILE',
      'text',
      'import traceback, collections\nCode = collections.namedtuple("Code", "co_filename co_name co_positions")\nFrame = collections.namedtuple("Frame", "f_code f_lineno f_globals f_locals")\nTb = collections.namedtuple("Tb", "tb_frame tb_lineno tb_lasti tb_next")\ncode = Code("/tmp/planted.txt", "n", lambda *a: iter([(1, 1, 0, 1)]))\nR = "".join(traceback.format_tb(Tb(Frame(code, 1, {}, {}), 1, 0, None)))',
    ],
    'NamedTuple frames': [
      'FILE',
      'text',
      'import traceback, typing\nCode = typing.NamedTuple("Code", [("co_filename", str), ("co_name", str), ("co_positions", object)])\nFrame = typing.NamedTuple("Frame", [("f_code", object), ("f_lineno", int), ("f_globals", dict), ("f_locals", dict)])\nTb = typing.NamedTuple("Tb", [("tb_frame", object), ("tb_lineno", int), ("tb_lasti", int), ("tb_next", object)])\ncode = Code("/tmp/planted.txt", "n", lambda *a: iter([(1, 1, 0, 1)]))\nR = "".join(traceback.format_tb(Tb(Frame(code, 1, {}, {}), 1, 0, None)))',
    ],
    'namedtuple as a value': [
      'FILE',
      'text',
      'import traceback, collections\nnt = [collections.namedtuple][0]\nCode = nt("Code", "co_filename co_name co_positions")\nFrame = nt("Frame", "f_" + "code f_lineno f_globals f_locals")\nTb = nt("Tb", "tb_" + "frame tb_lineno tb_lasti tb_next")\ncode = Code("/tmp/planted.txt", "n", lambda *a: iter([(1, 1, 0, 1)]))\nR = "".join(traceback.format_tb(Tb(Frame(code, 1, {}, {}), 1, 0, None)))',
    ],
    'NamedTuple computed': [
      'FILE',
      'text',
      'import traceback, typing\nCode = typing.NamedTuple("Code", [("co_filename", str), ("co_name", str), ("co_positions", object)])\nFrame = typing.NamedTuple("Frame", [("f_" + "code", object), ("f_lineno", int), ("f_" + "globals", dict), ("f_" + "locals", dict)])\nTb = typing.NamedTuple("Tb", [("tb_" + "frame", object), ("tb_lineno", int), ("tb_lasti", int), ("tb_" + "next", object)])\ncode = Code("/tmp/planted.txt", "n", lambda *a: iter([(1, 1, 0, 1)]))\nR = "".join(traceback.format_tb(Tb(Frame(code, 1, {}, {}), 1, 0, None)))',
    ],
    'exc_info by logging with namedtuple': [
      'FILE',
      'text',
      'import logging, io, collections\nCode = collections.namedtuple("Code", "co_filename co_name co_positions")\nFrame = collections.namedtuple("Frame", "f_code f_lineno f_globals f_locals")\nTb = collections.namedtuple("Tb", "tb_frame tb_lineno tb_lasti tb_next")\ncode = Code("/tmp/planted.txt", "n", lambda *a: iter([(1, 1, 0, 1)]))\ntb = Tb(Frame(code, 1, {}, {}), 1, 0, None)\nout = io.StringIO()\nlog = logging.getLogger("q7")\nlog.addHandler(logging.StreamHandler(out))\nlog.error("x", exc_info=(ValueError, ValueError("x"), tb))\nR = out.getvalue()',
    ],
  }),
  ...evasionsOf('names that dispatch and copy trust', {
    'dispatch string subscript': [
      'CODE',
      'builtin',
      'import functools\nseen = []\nclass Box:\n    def __class_getitem__(cls, item):\n        seen.append(item)\n        return cls\n@functools.singledispatch\ndef f(x):\n    pass\n@f.register\ndef g(x: "Box[eval]"):\n    pass\nR = seen[0]',
    ],
    'dispatch string or': [
      'CODE',
      'builtin',
      'import functools\nseen = []\nclass Box:\n    def __or__(self, item):\n        seen.append(item)\n        return int\nb = Box()\n@functools.singledispatch\ndef f(x):\n    pass\n@f.register\ndef g(x: "b | eval"):\n    pass\nR = seen[0]',
    ],
    'decorated reduce': [
      'CODE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\ndef deco(g):\n    return lambda s: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))\nclass A:\n    @deco\n    def __reduce__(self):\n        return (A, ())\ncopy.copy(A())\nR = f()',
    ],
    'cached property attrname by setattr': [
      'CODE',
      'patched',
      'import copy, functools\ndef f(x=1):\n    return x\nclass A:\n    pass\nc = functools.cached_property(lambda s: lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)})))\nsetattr(c, "attrname", "__redu" + "ce_ex__")\nA.c = c\na = A()\na.c\ncopy.copy(a)\nR = f()',
    ],
    'cached property attrname by object setattr': [
      'CODE',
      'patched',
      'import copy, functools\ndef f(x=1):\n    return x\nclass A:\n    pass\nc = functools.cached_property(lambda s: lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)})))\nobject.__setattr__(c, "attrname", "__redu" + "ce_ex__")\nA.c = c\na = A()\na.c\ncopy.copy(a)\nR = f()',
    ],
  }),
  ...evasionsOf('templates that only look known', {
    'own instance with __new__': [
      'ESCAPE',
      'printed',
      'class F:\n    def __new__(cls):\n        return "{0._" + "_class__}"\n    def format(self, *a):\n        return 1\nf = F()\nR = f.format(print)',
    ],
    'own instance decorated': [
      'ESCAPE',
      'printed',
      'def deco(c):\n    return lambda: "{0._" + "_class__}"\n@deco\nclass F:\n    def format(self, *a):\n        return 1\nf = F()\nR = f.format(print)',
    ],
    'own class attr stored by setattr': [
      'ESCAPE',
      'printed',
      'class F:\n    def format(self, *a):\n        return 1\nclass H:\n    pass\nh = H()\nh.t = F()\nsetattr(h, "t", "{0._" + "_class__}")\nR = h.t.format(print)',
    ],
    'own class attr by getattr hook': [
      'ESCAPE',
      'printed',
      'class F:\n    def format(self, *a):\n        return 1\nclass G:\n    def __init__(self):\n        self.t = F()\nclass H:\n    def __getattr__(self, n):\n        return "{0._" + "_class__}"\nR = H().t.format(print)',
    ],
    'template attribute by getattr hook': [
      'ESCAPE',
      'printed',
      'class G:\n    t = "{0}"\nclass H:\n    def __getattr__(self, n):\n        return "{0._" + "_class__}"\nR = H().t.format(print)',
    ],
    'template attribute by namedtuple': [
      'ESCAPE',
      'printed',
      'import collections\nclass G:\n    t = "{0}"\nH = collections.namedtuple("H", "t")\nR = H("{0._" + "_class__}").t.format(print)',
    ],
    'template attribute by slot of SimpleNamespace': [
      'ESCAPE',
      'printed',
      'from types import SimpleNamespace\nclass G:\n    t = "{0}"\nR = SimpleNamespace(t="{0._" + "_class__}").t.format(print)',
    ],
    'parameter via decorator': [
      'ESCAPE',
      'printed',
      'def deco(g):\n    return lambda t: g("{0._" + "_class__}")\n@deco\ndef f(t):\n    return t.format(print)\nR = f("{0}")',
    ],
    'parameter by getattr beside a call': [
      'ESCAPE',
      'printed',
      'class K:\n    def f(self, t):\n        return t.format(print)\nk = K()\nk.f("{0}")\nR = getattr(k, "f")("{0._" + "_class__}")',
    ],
    'parameter by methodcaller beside a call': [
      'ESCAPE',
      'printed',
      'from operator import methodcaller\nclass K:\n    def f(self, t):\n        return t.format(print)\nk = K()\nk.f("{0}")\nR = methodcaller("f", "{0._" + "_class__}")(k)',
    ],
    'init parameter by type': [
      'ESCAPE',
      'printed',
      'class G:\n    def __init__(self, t):\n        self.r = t.format(print)\ng = G("{0}")\nR = type(g)("{0._" + "_class__}").r',
    ],
    'init parameter by init': [
      'ESCAPE',
      'printed',
      'class G:\n    def __init__(self, t):\n        self.r = t.format(print)\ng = G("{0}")\ng.__init__("{0._" + "_class__}")\nR = g.r',
    ],
    'call parameter': [
      'ESCAPE',
      'printed',
      'class G:\n    def __call__(self, t):\n        return t.format(print)\ng = G()\ng.__call__("{0}")\nR = g("{0._" + "_class__}")',
    ],
    'table by tuple target': [
      'ESCAPE',
      'printed',
      'D = {"a": "{0}"}\n(D["a"], x) = "{0._" + "_class__}", 1\nR = D["a"].format(print)',
    ],
    'table by for target': [
      'ESCAPE',
      'printed',
      'D = {"a": "{0}"}\nfor D["a"] in ["{0._" + "_class__}"]:\n    R = D["a"].format(print)',
    ],
    'table by with target': [
      'ESCAPE',
      'printed',
      'import contextlib\nD = {"a": "{0}"}\nwith contextlib.nullcontext("{0._" + "_class__}") as D["a"]:\n    R = D["a"].format(print)',
    ],
    'lower of a template': [
      'ESCAPE',
      'printed',
      'def g():\n    yield 1\nR = "{0.GI_FRAME.F_GLOBALS}".lower().format(g())',
    ],
    'named escape in template': [
      'ESCAPE',
      'printed',
      'R = "{0.\\N{LOW LINE}\\N{LOW LINE}class__}".format(print)',
    ],
  }),
];
