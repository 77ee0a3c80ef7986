import { evasionsOf } from './evasion.ts';

const evil = "__import__('os').getpid()";

export const metaprogramming = [
  ...evasionsOf('class made at run time', {
    'type with three arguments': ['CODE', 'made', 'R = type("A", (), {})'],
    'type by an alias': ['CODE', 'made', 't = type\nR = t("A", (), {})'],
    'type from a tuple': ['CODE', 'made', 'R = (type,)[0]("A", (), {})'],
    'type from a dictionary': ['CODE', 'made', 'R = {"t": type}["t"]("A", (), {})'],
    'type by a default': ['CODE', 'made', 'def f(t=type):\n    return t("A", (), {})\nR = f()'],
    'type by walrus': ['CODE', 'made', 'R = (t := type)("A", (), {})'],
    'type by a conditional': ['CODE', 'made', 'R = (type if 1 else 0)("A", (), {})'],
    'type by or': ['CODE', 'made', 'R = (None or type)("A", (), {})'],
    'type by map': ['CODE', 'made', 'R = list(map(type, ["A"], [()], [{}]))[0]'],
    'type by starmap': [
      'CODE',
      'made',
      'from itertools import starmap\nR = list(starmap(type, [("A", (), {})]))[0]',
    ],
    'type by partial': [
      'CODE',
      'made',
      'from functools import partial\nR = partial(type, "A", ())({})',
    ],
    'type unpacked': ['CODE', 'made', 'R = type(*["A", (), {}])'],
    'type of a class': ['CODE', 'made', 'R = type(int)("A", (), {})'],
    'type of a class, unpacked': ['CODE', 'made', 'R = type(int)(*["A", (), {}])'],
    'type of a class, kept': ['CODE', 'made', 't = type(int)\nR = t("A", (), {})'],
    'type of a class that is bound as well': [
      'CODE',
      'made',
      'int = int\nt = type(int)\nR = t("A", (), {})',
    ],
    'type of a type': ['CODE', 'made', 'R = type(type(1))("A", (), {})'],
    'type of a class, as an argument': [
      'CODE',
      'made',
      'def f(t):\n    return t("A", (), {})\nR = f(type(int))',
    ],
    'type of a class, in a list': ['CODE', 'made', 'R = [type(int)][0]("A", (), {})'],
    'type of a class, by an operator': [
      'CODE',
      'made',
      'class C:\n    def __eq__(self, o):\n        return o("A", (), {})\nR = C() == type(int)',
    ],
    'type by a generic alias': ['CODE', 'made', 'R = type[int]("A", (), {})'],
    'type by a kept alias': ['CODE', 'made', 'T = type[int]\nR = T("A", (), {})'],
    'type by get_args': [
      'CODE',
      'made',
      'import typing\nT = list[type[int]]\nR = typing.get_args(T)[0]("A", (), {})',
    ],
    'type by get_origin': [
      'CODE',
      'made',
      'import typing\nR = typing.get_origin(typing.Type[int])("A", (), {})',
    ],
    'type by a field': [
      'CODE',
      'made',
      'from dataclasses import dataclass, fields\n@dataclass\nclass A:\n    x: type = 0\nR = fields(A)[0].type("A", (), {})',
    ],
    'type by InitVar': [
      'CODE',
      'made',
      'from dataclasses import InitVar\nR = InitVar[type].type("A", (), {})',
    ],
    'type by __new__': ['CODE', 'made', 'R = type.__new__(type, "A", (), {})'],
    'type of a class, by __new__': [
      'CODE',
      'made',
      'R = type(int).__new__(type(int), "A", (), {})',
    ],
    'type by __call__': ['CODE', 'made', 'R = type.__call__(type, "A", (), {})'],
    'an own metaclass, called': ['CODE', 'made', 'class M(type):\n    pass\nR = M("A", (), {})'],
    'an own metaclass, from a list': [
      'CODE',
      'made',
      'class M(type):\n    pass\nR = [M][0]("A", (), {})',
    ],
    'an own metaclass, of its class': [
      'CODE',
      'made',
      'class M(type):\n    pass\nclass A(metaclass=M):\n    pass\nR = type(A)("B", (), {})',
    ],
    'ABCMeta, called': ['CODE', 'made', 'import abc\nR = abc.ABCMeta("A", (), {})'],
    'ABCMeta, kept': ['CODE', 'made', 'from abc import ABCMeta\nm = ABCMeta\nR = m("A", (), {})'],
    'EnumMeta, kept': ['CODE', 'hidden', 'from enum import EnumMeta\nm = [EnumMeta]\nR = m[0]'],
    'the functional Enum': [
      'CODE',
      'hidden',
      'import enum\nR = enum.Enum("E", {"__match_" + "args__": ("x",), "A": 1}).__match_args__',
    ],
    'the functional Enum of a subclass': [
      'CODE',
      'hidden',
      'import enum\nclass B(enum.Enum):\n    pass\nR = B("E", {"__match_" + "args__": ("x",), "A": 1})',
    ],
    'the functional Enum, kept': [
      'CODE',
      'hidden',
      'import enum\nE = enum.Enum\nR = E("E", {"__match_" + "args__": ("x",), "A": 1})',
    ],
    'TypedDict, called': ['CODE', 'made', 'import typing\nR = typing.TypedDict("A", {"x": int})'],
    'a namespace that is changed': [
      'CODE',
      'hidden',
      'class M(type):\n    def __new__(m, n, b, d):\n        d["__match_" + "args__"] = ("x",)\n        return super().__new__(m, n, b, d)\nclass A(metaclass=M):\n    pass\nmatch A():\n    case object(__match_args__=R):\n        pass',
    ],
    __prepare__: [
      'CODE',
      'hidden',
      'class M(type):\n    @classmethod\n    def __prepare__(m, n, b):\n        return {"__match_" + "args__": ("x",)}\nclass A(metaclass=M):\n    pass\nR = A.__match_args__',
    ],
  }),
  ...evasionsOf('generated code', {
    'dataclass of a lying object': [
      'CODE',
      'pid',
      `import dataclasses\nseen = []\nclass F:\n    __slots__ = ()\n    def __getattribute__(self, n):\n        if n == "__dict__":\n            return {"__annotations__": {"x=seen.append(${evil})": int}}\n        if n == "__mro__":\n            return (object, object)\n        if n == "__module__":\n            return "builtins"\n        if n == "__qualname__":\n            return "F"\n        raise AttributeError(n)\n    def __setattr__(self, n, v):\n        pass\ntry:\n    dataclasses.dataclass(F())\nexcept Exception:\n    pass\nR = __import__("os").getpid()`,
    ],
    'dataclass of a renamed field': [
      'CODE',
      'pid',
      `from dataclasses import dataclass, fields\n@dataclass\nclass A:\n    x: int = 0\nfields(A)[0].name = "x=__import__('os').getpid(), _y"\ntry:\n    @dataclass\n    class B(A):\n        y: int = 1\nexcept SyntaxError:\n    pass\nR = __import__("os").getpid()`,
    ],
    'dataclass of a renamed field, by a loop': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass, fields\n@dataclass\nclass A:\n    x: int = 0\nfor f in fields(A):\n    f.name = "__class__"\nR = f',
    ],
    'dataclass of a leaked field': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass, field\nF = field(default=1)\nF.name = "evil"\nR = F',
    ],
    'dataclass of a field of the class body': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass, field\nseen = []\n@dataclass\nclass A:\n    x: int = field(default=1)\n    seen.append(x)\nR = seen[0]',
    ],
    'dataclass of a field seen by a hook': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass, field\nseen = []\nclass H:\n    def __init_subclass__(cls):\n        seen.append(cls.x)\n@dataclass\nclass A(H):\n    x: int = field(default=1)\nR = seen[0]',
    ],
    'dataclass of a field seen by a descriptor': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass, field\nseen = []\nclass D:\n    def __set_name__(self, o, n):\n        seen.append(o.x)\n@dataclass\nclass A:\n    x: int = field(default=1)\n    d = D()\nR = seen[0]',
    ],
    'dataclass of a metaclass': [
      'CODE',
      'pid',
      `from dataclasses import dataclass, field\nclass M(type):\n    def __getattr__(cls, n):\n        if n == "__dataclass" + "_fields__":\n            f = field(default=1)\n            f.name = "x"\n            return {"x": f}\n        raise AttributeError(n)\nclass B(metaclass=M):\n    pass\ntry:\n    @dataclass\n    class A(B):\n        pass\nexcept Exception:\n    pass\nR = __import__("os").getpid()`,
    ],
    'dataclass of a namespace that is changed': [
      'CODE',
      'pid',
      `from dataclasses import dataclass\nseen = []\nclass M(type):\n    def __new__(m, n, b, d):\n        d["__annotat" + "ions__"] = {"x, y=__import__('os').getpid()": int}\n        return super().__new__(m, n, b, d)\ntry:\n    @dataclass\n    class A(metaclass=M):\n        pass\nexcept SyntaxError:\n    pass\nR = __import__("os").getpid()`,
    ],
    'dataclass by an alias': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass\nd = dataclass\n@d\nclass A:\n    x: int = 0\nR = A',
    ],
    'dataclass over a class that another made': [
      'CODE',
      'hidden',
      'from dataclasses import dataclass\nclass B:\n    x = 1\ndef swap(c):\n    return B\n@dataclass\n@swap\nclass A:\n    pass\nR = A',
    ],
    'singledispatch of a text': [
      'CODE',
      'pid',
      'import functools\n@functools.singledispatch\ndef f(x):\n    pass\nseen = []\ntry:\n    @f.register\n    def g(x: "seen.append(__import__(\'os\').getpid())"):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
    'singledispatch of a lying object': [
      'CODE',
      'pid',
      'import functools\nseen = []\n@functools.singledispatch\ndef f(x):\n    pass\nclass L:\n    def __getattr__(self, n):\n        if n == "__annot" + "ations__":\n            return {"x": "[c for c in ().__class__.__base__.__subclasses__()] and __import__(\'os\').getpid"}\n        raise AttributeError(n)\ntry:\n    f.register(L())\nexcept TypeError:\n    pass\nR = __import__("os").getpid()',
    ],
    'singledispatchmethod of a text': [
      'CODE',
      'pid',
      'from functools import singledispatchmethod\nseen = []\nclass A:\n    @singledispatchmethod\n    def f(self, x):\n        pass\n    try:\n        @f.register\n        def g(self, x: "seen.append(__import__(\'os\').getpid())"):\n            pass\n    except TypeError:\n        pass\nR = seen[0]',
    ],
    'singledispatch of a text that was kept': [
      'CODE',
      'pid',
      'import functools\nseen = []\nS = "seen.append(__im" + "port__(\'os\').getpid())"\n@functools.singledispatch\ndef f(x):\n    pass\ntry:\n    @f.register\n    def g(x: S):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
    'singledispatch of a quoted type within': [
      'CODE',
      'pid',
      'import functools\nfrom typing import List\nseen = []\n@functools.singledispatch\ndef f(x):\n    pass\ntry:\n    @f.register\n    def g(x: List["seen.append(__import__(\'os\').getpid())"]):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
    'singledispatch under another name': [
      'CODE',
      'pid',
      'import functools\nfrom types import SimpleNamespace\nseen = []\n@functools.singledispatch\ndef f(x):\n    pass\nr = f.register\ntry:\n    r(SimpleNamespace(**{"__annotat" + "ions__": {"x": "__import__(\'os\').getpid()"}}))\nexcept TypeError:\n    pass\nR = __import__("os").getpid()',
    ],
    'update_wrapper hands out': [
      'ESCAPE',
      'globals',
      'import functools\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef f():\n    pass\nfunctools.update_wrapper(C(), f, ["__globals__"], ())\nR = seen[0]',
    ],
    'update_wrapper hands out a made-up name': [
      'ESCAPE',
      'globals',
      'from functools import update_wrapper as u\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef f():\n    pass\nu(C(), f, assigned=("__glo" + "bals__",), updated=())\nR = seen[0]',
    ],
    'update_wrapper of a class': [
      'ESCAPE',
      'classes',
      'import functools, copy\nseen = []\nclass C:\n    def __setstate__(self, d):\n        seen.append(d)\nc = C()\nfunctools.update_wrapper(c, type(int), (), ("__dict__",))\ncopy.copy(c)\nR = seen[0]["__subclasses__"](object)',
    ],
    'update_wrapper of a class, compared': [
      'ESCAPE',
      'classes',
      'import functools\nfrom types import SimpleNamespace as N\nfound = []\nclass E:\n    def __eq__(self, o):\n        try:\n            found.append(o(object))\n        except Exception:\n            pass\n        return True\na = N()\nfunctools.update_wrapper(a, type(int))\nnames = ["__" + n + "__" for n in "new repr call getattribute setattr delattr init subclasses prepare instancecheck subclasscheck dir sizeof basicsize itemsize flags weakrefoffset base dictoffset name qualname bases mro module abstractmethods dict doc text_signature annotations or ror wrapped".split()] + ["mro"]\nfor k in range(1):\n    b = N(**{n: E() for n in names})\n    a == b\nR = [f for f in found if isinstance(f, list) and len(f) > 100][0]',
    ],
    'wraps with other names': [
      'ESCAPE',
      'globals',
      'import functools\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef f():\n    pass\nfunctools.wraps(f, assigned=("__globals__",), updated=())(C())\nR = seen[0]',
    ],
    'wraps, as a value': [
      'ESCAPE',
      'globals',
      'import functools\nw = functools.wraps\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef f():\n    pass\nw(f, ("__globals__",), ())(C())\nR = seen[0]',
    ],
    'wraps over another decorator': [
      'ESCAPE',
      'hidden',
      'import functools\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef c(f):\n    return C()\ndef f(x: int):\n    pass\n@functools.wraps(f)\n@c\ndef g():\n    pass\nR = [v for v in seen if isinstance(v, dict)][0]',
    ],
    'partialmethod of update_wrapper': [
      'ESCAPE',
      'globals',
      'import functools\nclass C:\n    def __setattr__(self, n, v):\n        seen.append(v)\nseen = []\ndef f():\n    pass\nfunctools.partial(functools.update_wrapper, C(), f, ("__globals__",), ())()\nR = seen[0]',
    ],
    'WRAPPER_UPDATES and its like': [
      'ESCAPE',
      'hidden',
      'import functools\nR = functools.WRAPPER_UPDATES',
    ],
  }),
  ...evasionsOf('copy and reduce', {
    'reduce sets any attribute': [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nclass A:\n    def __reduce_ex__(self, p):\n        return (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))\ncopy.copy(A())\nR = f()',
    ],
    'the short reduce': [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nclass A:\n    def __reduce__(self):\n        return (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))\ncopy.deepcopy(A())\nR = f()',
    ],
    getstate: [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nclass A:\n    def __new__(cls, *a):\n        return object.__new__(cls) if not a else f\n    def __getnewargs__(self):\n        return (1,)\n    def __getstate__(self):\n        return (None, {"__defau" + "lts__": ("patched",)})\ncopy.copy(A())\nR = f()',
    ],
    setstate: [
      'ESCAPE',
      'hidden',
      'import copy\nseen = []\nclass A:\n    def __init__(self):\n        self.x = 1\n    def __setstate__(self, d):\n        seen.append(d)\ncopy.copy(A())\nR = seen[0]',
    ],
    'reduce under a class that was made': [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nA = type(int)("A", (), {"__redu" + "ce__": lambda s: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})\ncopy.copy(A())\nR = f()',
    ],
    'reduce of a namespace': [
      'ESCAPE',
      'patched',
      'import copy\nfrom types import SimpleNamespace\ndef f(x=1):\n    return x\nn = SimpleNamespace(**{"__redu" + "ce_ex__": lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})\ncopy.copy(n)\nR = f()',
    ],
    'reduce of a namespace that is filled anew': [
      'ESCAPE',
      'patched',
      'import copy\nfrom types import SimpleNamespace\ndef f(x=1):\n    return x\nn = SimpleNamespace()\nn.__init__(**{"__redu" + "ce_ex__": lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})\ncopy.copy(n)\nR = f()',
    ],
    'reduce of a namespace of another': [
      'ESCAPE',
      'patched',
      'import copy\nfrom types import SimpleNamespace\ndef f(x=1):\n    return x\nn = type(SimpleNamespace())(**{"__redu" + "ce_ex__": lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})\ncopy.copy(n)\nR = f()',
    ],
    'reduce of a namespace by partial': [
      'ESCAPE',
      'patched',
      'import copy, functools\nfrom types import SimpleNamespace\ndef f(x=1):\n    return x\nn = functools.partial(SimpleNamespace, **{"__redu" + "ce_ex__": lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})()\ncopy.deepcopy([n])\nR = f()',
    ],
    'reduce of a cached property': [
      'ESCAPE',
      'patched',
      'import copy, functools\ndef f(x=1):\n    return x\nclass A:\n    pass\nc = functools.cached_property(lambda s: lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)})))\nc.attrname = "__redu" + "ce_ex__"\nA.c = c\na = A()\na.c\ncopy.copy(a)\nR = f()',
    ],
    'reduce of a log record': [
      'ESCAPE',
      'patched',
      'import copy, logging\ndef f(x=1):\n    return x\nclass H(logging.Handler):\n    def emit(self, record):\n        copy.copy(record)\nlog = logging.getLogger("z")\nlog.addHandler(H())\nlog.error("x", extra={"__redu" + "ce_ex__": lambda p: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))})\nR = f()',
    ],
    'state of two parts': [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nclass A:\n    def __reduce__(self):\n        state = (None, {"__defau" + "lts__": ("patched",)})\n        return (lambda: f, (), state)\ncopy.copy(A())\nR = f()',
    ],
    'an assigned __reduce__': [
      'ESCAPE',
      'patched',
      'import copy\ndef f(x=1):\n    return x\nclass A:\n    __reduce__ = lambda s: (lambda: f, (), (None, {"__defau" + "lts__": ("patched",)}))\ncopy.copy(A())\nR = f()',
    ],
    copyreg: ['CODE', 'module', 'import copyreg as R'],
    'copy.dispatch_table': ['IMPORT', 'hidden', 'import copy\nR = copy.dispatch_table'],
    'copy._reconstruct': ['IMPORT', 'hidden', 'from copy import _reconstruct as R'],
  }),
  ...evasionsOf('shared things replaced', {
    'json.loads': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.loads\njson.loads = lambda s: "patched"\nR = json.loads("1")\njson.loads = old',
    ],
    'json.loads by setattr': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.loads\nsetattr(json, "loads", lambda s: "patched")\nR = json.loads("1")\nsetattr(json, "loads", old)',
    ],
    'a method of a library class': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.JSONEncoder.encode\njson.JSONEncoder.encode = lambda s, o: "patched"\nR = json.JSONEncoder().encode(1)\njson.JSONEncoder.encode = old',
    ],
    'a method of an imported class': [
      'INTEGRITY',
      'patched',
      'from json import JSONEncoder as J\nold = J.encode\nJ.encode = lambda s, o: "patched"\nR = J().encode(1)\nJ.encode = old',
    ],
    'a method of a class under another name': [
      'INTEGRITY',
      'patched',
      'import json\nJ = json.JSONEncoder\nold = J.encode\nJ.encode = lambda s, o: "patched"\nR = J().encode(1)\nJ.encode = old',
    ],
    'a method by setattr': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.JSONEncoder.encode\nsetattr(json.JSONEncoder, "encode", lambda s, o: "patched")\nR = json.JSONEncoder().encode(1)\nsetattr(json.JSONEncoder, "encode", old)',
    ],
    'a method deleted': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.JSONEncoder.encode\ndel json.JSONEncoder.encode\ntry:\n    json.dumps(1, indent=1)\nexcept AttributeError:\n    R = "patched"\njson.JSONEncoder.encode = old',
    ],
    'a default counter': [
      'INTEGRITY',
      'patched',
      'import random\nrandom.random = lambda: "patched"\nR = random.random()\nrandom.random = random.Random().random',
    ],
    'in a loop target': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.loads\nfor json.loads in [lambda s: "patched"]:\n    R = json.loads("1")\njson.loads = old',
    ],
    'in a with target': [
      'INTEGRITY',
      'patched',
      'import json, contextlib\nold = json.loads\nwith contextlib.nullcontext(lambda s: "patched") as json.loads:\n    R = json.loads("1")\njson.loads = old',
    ],
    'in a tuple target': [
      'INTEGRITY',
      'patched',
      'import json\nold = json.loads\n(json.loads, x) = (lambda s: "patched", 1)\nR = json.loads("1")\njson.loads = old',
    ],
    'in an augmented target': [
      'INTEGRITY',
      'patched',
      'import string\nold = string.digits\nstring.digits += "x"\nR = "patched" if "x" in string.digits else None\nstring.digits = old',
    ],
    'an agent package': [
      'INTEGRITY',
      'patched',
      'import paddock_agent\npaddock_agent.find = lambda: "patched"\nR = paddock_agent.find()',
    ],
    'an agent class': [
      'INTEGRITY',
      'patched',
      'from paddock_agent import Client\nClient.search = lambda s: "patched"\nR = Client().search()',
    ],
    'an agent submodule': [
      'INTEGRITY',
      'patched',
      'import paddock_agent.tools\npaddock_agent.tools.find = lambda: "patched"\nR = paddock_agent.tools.find()',
    ],
    'a builtin': [
      'INTEGRITY',
      'patched',
      'import builtins\nold = builtins.len\nbuiltins.len = lambda x: "patched"\nR = len([])\nbuiltins.len = old',
    ],
    'the environment': ['INTEGRITY', 'patched', 'import os\nos.putenv("A", "B")\nR = "patched"'],
  }),
];
