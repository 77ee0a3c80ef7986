/** Honest files, each of which a naive rule would refuse. */
export interface AcceptedSample {
  readonly id: string;
  readonly code: string;
}

const raw = String.raw;
const n = (id: string, code: string): AcceptedSample => ({ id, code });

/** The published samples, word for word. */
export const publishedAccepted: readonly AcceptedSample[] = [
  n(
    'N01',
    'import json, re, math\ndef act(task): return json.dumps({"q": re.sub(r"\\s+"," ",task)})',
  ),
  n(
    'N02',
    'from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass Item:\n    name: str\n    price: float = 0.0\n    tags: list = field(default_factory=list)',
  ),
  n(
    'N03',
    'from typing import Any, Optional\nfrom collections import defaultdict, Counter, deque\nc: dict[str, Any] = defaultdict(list)',
  ),
  n(
    'N04',
    '"""Docs mention eval(), exec(), __import__ and os.system in prose."""\n# import os  -- not used\nx = "import os; eval(1)"',
  ),
  n(
    'N06',
    'class A:\n    def __init__(self): self.x=1\n    def __repr__(self): return f"A({self.x!r})"\n    def __len__(self): return 1\n    def __enter__(self): return self\n    def __exit__(self,*a): return False',
  ),
  n('N09', 'import re\nP = re.compile(r"(?P<price>\\d+(?:\\.\\d+)?)")\nm = P.search("12.5")'),
  n(
    'N12',
    'match {"a":1}:\n    case {"a": int(x)} if x > 0: y = x\n    case [a, *rest]: y = a\n    case _: y = None',
  ),
  n('N25', '# -*- coding: utf-8 -*-\nimport math\nx = math.pi\n'),
];

export const ownAccepted: readonly AcceptedSample[] = [
  n(
    'main guard',
    'def main() -> None:\n    print("hi")\n\nif __name__ == "__main__":\n    main()\n',
  ),
  n(
    'super',
    'class B(Exception):\n    def __init__(self, m: str) -> None:\n        super().__init__(m)\n        self.m = m\n',
  ),
  n(
    'base by name',
    'class A:\n    def __init__(self): pass\nclass B(A):\n    def __init__(self): A.__init__(self)\n',
  ),
  n(
    'class name of an object',
    'class A:\n    def __repr__(self): return f"<{self.__class__.__name__} {type(self).__name__}>"\n',
  ),
  n(
    'new',
    'class P:\n    _one = None\n    def __new__(cls, *a):\n        if cls._one is None: cls._one = super().__new__(cls)\n        return cls._one\n',
  ),
  n(
    'singleton metaclass',
    'class S(type):\n    _all = {}\n    def __call__(cls, *a, **k):\n        if cls not in cls._all: cls._all[cls] = super().__call__(*a, **k)\n        return cls._all[cls]\nclass A(metaclass=S): pass\n',
  ),
  n(
    'frozen initialisation',
    'from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    x: int\n    def __post_init__(self): object.__setattr__(self, "x", abs(self.x))\n',
  ),
  n(
    'own setattr',
    'class A:\n    def __setattr__(self, name, value): super().__setattr__(name, value)\n',
  ),
  n(
    'own setattr of a frozen class',
    'from abc import ABC, ABCMeta\nfrom typing import Any, Generic, TypeVar\nT = TypeVar("T")\nclass Frozen(Generic[T], metaclass=ABCMeta):\n    _done = False\n    def __setattr__(self, key: str, value: Any) -> None:\n        if self._done: raise AttributeError(f"{type(self).__name__} is frozen: {key}")\n        super().__setattr__(key, value)\nclass Point(Frozen[int], ABC):\n    def __init__(self, x: int):\n        self.x = x\n        object.__setattr__(self, "_done", True)\n    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)\n',
  ),
  n(
    'own functions that are kept for later',
    'import functools\nfrom contextlib import contextmanager\nfrom functools import lru_cache, cache\ndef base(): pass\n@lru_cache(maxsize=None)\ndef compile(node): return [compile(each) for each in node]\n@functools.lru_cache\ndef eval(node): return eval(node[1:])\n@cache\ndef exec(node): return exec(node[1:])\n@contextmanager\ndef open(path):\n    with open(path): yield\n@functools.wraps(base)\ndef vars(x): return vars(x)\n',
  ),
  n(
    'own functions in front of a star import',
    'def compile(node): return node\nopen = 1\nfrom math import *\nfrom collections import *\nprint(compile(pi), open, Counter())\n',
  ),
  n(
    'setters by name and written names',
    'class Base:\n    __slots__ = ["_a", "__weakref__"]\n    def __init__(self):\n        object.__setattr__(self, "_a", 1)\n        super().__setattr__("_a", 2)\nclass Own(Base):\n    __slots__: tuple = ()\n    def __setattr__(self, key, value):\n        if key == "_a": super(Own, self).__setattr__(key, value)\n        else: Base.__setattr__(self, key, value)\nclass Other:\n    __slots__ = {"x": "how far along", "y": "how high"}\nclass One:\n    __slots__ = "x"\n',
  ),
  n(
    'own functions that call themselves',
    'def compile(node): return [compile(each) for each in node]\ndef open(path, depth=0):\n    return open(path, depth + 1) if depth < 3 else compile(path)\nlicense: str = "MIT"\nprint(open([]), license)\n',
  ),
  n(
    'augmented assignments',
    'total = 0\ntotal += 1\ninput = ""\ninput += "x"\n__all__ = ["total"]\n__all__ += ["A"]\nregister = 1\nregister += 1\nclass A:\n    __slots__ = ("_n", "stream")\n    __slots__ += ("handlers",)\n    def __init__(self):\n        self._n = 0\n        self.stream = self.handlers = 0\n        self._n += 1\n        self.stream += 1\ndef count(type, getattr=0):\n    type += 1\n    getattr += type\n    return getattr\n',
  ),
  n(
    'slots, exports and aliases',
    '__all__ = ["A"]\n__version__ = "1.0"\nclass A:\n    __slots__ = ("x",)\n    __match_args__ = ("x",)\n    def __add__(self, o): return self\n    __radd__ = __add__\n    __hash__ = None\n',
  ),
  n(
    'decorator',
    'import functools\ndef retry(times: int = 3):\n    def wrap(f):\n        @functools.wraps(f)\n        def inner(*a, **k):\n            for _ in range(times):\n                try: return f(*a, **k)\n                except ValueError: continue\n            raise RuntimeError(f.__name__)\n        return inner\n    return wrap\n@retry(times=2)\ndef g(): return 1\n',
  ),
  n(
    'async',
    'import asyncio\nasync def one(x):\n    await asyncio.sleep(0)\n    return x\nasync def main():\n    async with asyncio.Lock():\n        r = await asyncio.gather(*(one(i) for i in range(3)))\n    return [x async for x in agen()]\nasync def agen():\n    for i in range(3): yield i\nasyncio.run(main())\n',
  ),
  n(
    'comprehensions',
    'd = {k: v for k, v in zip("ab", range(2)) if v if k}\ns = {x for x in d}\ng = sum(y for row in [[1], [2]] for y in row)\nf = [(lambda z=i: z)() for i in range(3)]\nw = [y := 1, y**2]\n',
  ),
  n(
    'match',
    'class P:\n    x = 0\ndef f(v):\n    match v:\n        case P(x=0) | None: return 0\n        case {"type": "a", **rest}: return rest\n        case (1 | 2) as k: return k\n        case [P(), *_] if v: return 1\n        case "s" | -1 | 2.5 | True: return 2\n        case str() as s: return s\n    match = 1\n    case = match\n    return case\n',
  ),
  n(
    'f-strings',
    raw`p = 3.14159; w = 10
print(f"{p:.2f} {p!r:>{w}} {{literal}} {p=} {'a' if p else 'b'} {[x for x in range(3)]}")
`,
  ),
  n(
    'templates',
    'T = "Query: {query}\\nItem: {item.name} at {prices[0]}"\nprint(T.format(query="q", item=1, prices=[1]))\nprint("{0} {1:>5}".format(1, 2), "%s" % 1)\n',
  ),
  n(
    'environment',
    'import os\nKEY = os.environ.get("KEY", "")\nURL = os.getenv("URL")\nP = os.path.join("a", os.path.basename("b"))\n',
  ),
  n(
    'urls',
    'from urllib.parse import quote, urlencode\nimport urllib.parse\nprint(quote("a b"), urllib.parse.urlparse("http://x/y").path)\n',
  ),
  n(
    'own names that shadow builtins',
    'def f(input, open=None, compile=1):\n    vars = [input]\n    for eval in vars: print(eval)\n    return compile, open\ninput = f(1)\nprint(input)\n',
  ),
  n(
    'methods named like builtins',
    'import re\nclass Door:\n    def open(self): return self\n    def compile(self): return re.compile("x")\nDoor().open().compile()\nDoor().exec = 1\n',
  ),
  n(
    'literal getattr',
    'class A: pass\na = A()\nx = getattr(a, "name", None)\nsetattr(a, "name", 1)\nif hasattr(a, "__iter__"): delattr(a, "name")\n',
  ),
  n(
    'sorted by attribute',
    'from operator import attrgetter, itemgetter\nsorted([], key=attrgetter("price", "shop.name"))\nsorted([], key=itemgetter(1))\n',
  ),
  n(
    'logging',
    'import logging, sys\nlogging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)\nlog = logging.getLogger(__name__)\nlog.info("x")\nprint("e", file=sys.stderr)\nsys.stderr.write("x")\n',
  ),
  n(
    'shadowed module names',
    'import time\nfrom dataclasses import dataclass\n@dataclass\nclass Slot:\n    time: float = 0.0\ndef f(time, json=None): return time.hour, json\nprint(time.time(), Slot(time=time.monotonic()).time)\n',
  ),
  n(
    'typing',
    'from __future__ import annotations\nfrom typing import TYPE_CHECKING, Callable, Generic, NamedTuple, Protocol, TypedDict, TypeVar\nT = TypeVar("T")\nclass D(TypedDict, total=False):\n    a: int\nclass N(NamedTuple):\n    a: int = 1\nclass P(Protocol):\n    def go(self) -> int: ...\nclass G(Generic[T]):\n    def f(self, c: Callable[[T], type[T]], k: type = int) -> "G[T]": return self\nif TYPE_CHECKING: pass\n',
  ),
  n(
    'types at run time',
    'def f(x):\n    if type(x) is dict or type(x) in (list, tuple) or isinstance(x, type): return type(x)(x)\n    return list(map(type, [x]))\n',
  ),
  n(
    'exceptions',
    'import traceback\ntry:\n    1 / 0\nexcept (ValueError, ZeroDivisionError) as e:\n    print(traceback.format_exc(), type(e).__name__, e.args, e.__cause__)\n    raise RuntimeError("x") from e\nfinally:\n    pass\n',
  ),
  n(
    'enum and abc',
    'import enum\nfrom abc import ABC, abstractmethod\nclass C(str, enum.Enum):\n    A = "a"\n    B = enum.auto()\nclass S(ABC):\n    @property\n    @abstractmethod\n    def x(self) -> int: ...\n    @x.setter\n    def x(self, v): self._x = v\nprint(list(C.__members__), C.A.name)\n',
  ),
  n(
    'context managers',
    'import contextlib, threading\nlock = threading.Lock()\n@contextlib.contextmanager\ndef c():\n    yield 1\nwith (c() as a, lock): print(a)\nwith c() as (b), c(): print(b)\n',
  ),
  n(
    'numbers of every kind',
    'x = [0xFF, 0b1, 0o7, 1_000, 1e9, 2j, .5, ...]\ny = x[1:2, ::3] if x else not x\nz = -x[0] ** 2 @ 1 if y is not None and x not in [1] else ~1\n',
  ),
  n(
    'statements of every kind',
    'global q\nq: int = 1\nq += 1\na, *b = c = [1, 2]\nassert a, "m"\ndel a, b[0]\nwhile False: break\nelse: pass\nfor i, in []: continue\nx = y = lambda *a, k=1, **kw: (yield)\n',
  ),
  n(
    'agent package',
    'from paddock_agent import search, Client\nimport paddock_agent.tools as tools\nfrom paddock_agent.tools import *\nprint(tools.find("x"), search("y"), Client().open("z"))\n',
  ),
  n(
    'other alphabets',
    '# Größe\nприз = 1\ndef größe(x): return "日本語" + x\nnaïve = größe("é")\n',
  ),
  n(
    'three telephone numbers of each kind, and other long numbers',
    'HELP = ["+4930901820", "+4930901847", "+4930901863"]\nMASKS = [0b1111, 0o777, 0x9E3779B9, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F]\nSCALE = [1e9, 2.5e9, 86400e6, 1700000000.0, 299792458.0, 1.5e10]\nEDITIONS = ["v20240115", "v20240202", "v20240311", "v20240418"]\nBANDS = {"10000_25000": 1, "12500_25000": 2, "15000_35000": 3, "20000_45000": 4}\nPARTS = ["20260114_1", "20260225_1", "20260327_2", "20260419_3"]\nHASHES = ["a1b2c3d4e5", "f6071829c0", "0a91827364f", "b5d1e2f3a4"]\n',
  ),
  n('byte order mark', '\ufeffx = 1\n'),
  n('windows line ends', 'import re\r\nif re:\r\n    x = 1\r\n'.replace('if re:', 'if re.A:')),
  n('encoding of another name', '#!/usr/bin/env python\n# vim: set fileencoding=UTF-8 :\nx = 1\n'),
  n(
    'long prompt',
    `P = """${'You are a careful shopping agent. Compare price, rating and delivery.\n'.repeat(400)}"""\n`,
  ),
  n('long word list', `W = {${Array.from({ length: 2000 }, (_, i) => `"word${i}"`).join(', ')}}\n`),
  n(
    'long tables',
    `T = [${Array.from({ length: 600 }, (_, i) => `("item ${i}", ${i * 7}.5, "red-shoes-${i}")`).join(',\n')}]\nC = [${Array.from({ length: 300 }, (_, i) => i).join(', ')}]\n`,
  ),
  n(
    'long pattern',
    `import re\nP = re.compile(r"(?:${Array.from({ length: 300 }, (_, i) => `brand${'abcdefghij'[i % 10]}`).join('|')})")\n`,
  ),
  n(
    'a checksum and a rule',
    `A = "${'9f86d081884c7d659a2feaa0c55ad015'.repeat(2)}"\nprint("=" * 80, "${'-'.repeat(600)}")\n`,
  ),
];
