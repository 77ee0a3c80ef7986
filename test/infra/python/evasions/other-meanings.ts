import { evasionsOf } from './evasion.ts';

export const otherMeanings = [
  ...evasionsOf('fields of dataclasses', {
    'field seen by partial': [
      'CODE',
      'pid',
      'import functools\nfrom dataclasses import dataclass, field\nkept = []\ndef look(cls):\n    kept.append(cls.x)\n    return cls\n@dataclass\n@functools.partial(look)\nclass A:\n    x: int = field(default=1)\nkept[0].name = "x,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    "field seen by its default's __set_name__": [
      'CODE',
      'pid',
      'from dataclasses import dataclass, field\nkept = []\nclass Spy:\n    def __set_name__(self, owner, name):\n        kept.append(owner.x)\n@dataclass\nclass A:\n    x: object = field(default=Spy())\nkept[0].name = "x,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field seen by a made default': [
      'CODE',
      'pid',
      'from dataclasses import dataclass, field\nkept = []\ndef seen(self, owner, name):\n    kept.append(owner.x)\nSpy = list(map(type, [int]))[0]("Spy", (), {"__set_" + "name__": seen})\n@dataclass\nclass A:\n    x: object = field(default=Spy())\nkept[0].name = "x,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field kept by a NamedTuple': [
      'CODE',
      'pid',
      'from dataclasses import dataclass, field\nfrom typing import NamedTuple\n@dataclass(init=False, repr=False, eq=False)\nclass N(NamedTuple):\n    x: int = field(default=1)\nkept = N().x\n@dataclass\nclass A:\n    y: int = kept\nkept.name = "y,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field kept by an Enum': [
      'CODE',
      'pid',
      'from dataclasses import dataclass, field\nfrom enum import Enum\n@dataclass(init=False, repr=False, eq=False)\nclass N(Enum):\n    y = 2\n    x: int = field(default=1)\nkept = N.x.value\n@dataclass\nclass A:\n    y: int = kept\nkept.name = "y,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field under a dataclass of the file': [
      'CODE',
      'pid',
      'from dataclasses import dataclass as real\nfrom dataclasses import dataclass, field\nkept = []\ndef dataclass(cls):\n    kept.append(cls.x)\n    return cls\n@real\n@dataclass\nclass A:\n    x: int = 1\n@dataclass\nclass C:\n    x: int = field(default=1)\nf = kept[1]\n@real\nclass D:\n    y: int = f\nf.name = "y,{}[__import__(\'os\').getpid()]"\n@real(init=False, repr=False)\nclass B(D):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field seen by a rebound import': [
      'CODE',
      'pid',
      'from dataclasses import dataclass, field\nfrom functools import total_ordering as look\nkept = []\ndef look(cls):\n    kept.append(cls.x)\n    return cls\n@dataclass\n@look\nclass A:\n    x: int = field(default=1)\nkept[0].name = "x,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'field seen by a rebound module': [
      'CODE',
      'pid',
      'import functools\nfrom dataclasses import dataclass, field\nkept = []\nclass functools:\n    def total_ordering(cls):\n        kept.append(cls.x)\n        return cls\n@dataclass\n@functools.total_ordering\nclass A:\n    x: int = field(default=1)\nkept[0].name = "x,{}[__import__(\'os\').getpid()]"\n@dataclass(init=False, repr=False)\nclass B(A):\n    pass\ntry:\n    B() == B()\nexcept KeyError as e:\n    R = e.args[0]',
    ],
  }),
  ...evasionsOf('copies by another name', {
    asdict: [
      'ESCAPE',
      'module',
      'from abc import ABC\nfrom dataclasses import asdict, dataclass\nfrom types import SimpleNamespace\nclass P(ABC):\n    __match_args__ = ("x",)\ndef f():\n    pass\nP.register(type(f))\n@dataclass\nclass D:\n    v: object\ndef how(protocol):\n    return (lambda: P, (), (None, {"__match_" + "args__": ("__glo" + "bals__",)}))\nasdict(D(SimpleNamespace(**{"__reduce_" + "ex__": how})))\nR = None\nmatch f:\n    case P(found):\n        R = found["__buil" + "tins__"]',
    ],
    astuple: [
      'ESCAPE',
      'module',
      'from abc import ABC\nfrom dataclasses import astuple, dataclass\nfrom types import SimpleNamespace\nclass P(ABC):\n    __match_args__ = ("x",)\ndef f():\n    pass\nP.register(type(f))\n@dataclass\nclass D:\n    v: object\ndef how(protocol):\n    return (lambda: P, (), (None, {"__match_" + "args__": ("__glo" + "bals__",)}))\nastuple(D(SimpleNamespace(**{"__reduce_" + "ex__": how})))\nR = None\nmatch f:\n    case P(found):\n        R = found["__buil" + "tins__"]',
    ],
    WeakKeyDictionary: [
      'ESCAPE',
      'module',
      'from abc import ABC\nfrom types import SimpleNamespace\nfrom weakref import WeakKeyDictionary\nclass P(ABC):\n    __match_args__ = ("x",)\ndef f():\n    pass\nP.register(type(f))\ndef how(protocol):\n    return (lambda: P, (), (None, {"__match_" + "args__": ("__glo" + "bals__",)}))\nkey = P\nWeakKeyDictionary({key: SimpleNamespace(**{"__reduce_" + "ex__": how})}).__deepcopy__({})\nR = None\nmatch f:\n    case P(found):\n        R = found["__buil" + "tins__"]',
    ],
    'asdict of a made class': [
      'ESCAPE',
      'module',
      'from abc import ABC\nfrom dataclasses import asdict, dataclass\nclass P(ABC):\n    __match_args__ = ("x",)\ndef f():\n    pass\nP.register(type(f))\n@dataclass\nclass D:\n    v: object\ndef kind(x):\n    return type(x)\ndef how(self, protocol):\n    return (lambda: P, (), (None, {"__match_" + "args__": ("__glo" + "bals__",)}))\nQ = kind(int)("Q", (), {"__reduce_" + "ex__": how})\nasdict(D(Q()))\nR = None\nmatch f:\n    case P(found):\n        R = found["__buil" + "tins__"]',
    ],
  }),
  ...evasionsOf('classes swapped by decorators', {
    'str for a class with format': [
      'ESCAPE',
      'printed',
      'import functools\ndef swap(cls):\n    return str\n@functools.partial(swap)\nclass Own:\n    def format(self, value):\n        return value\ndef f():\n    pass\nR = Own("{0.__glo" + "bals__}").format(f)',
    ],
    'ABCMeta for a class': [
      'ESCAPE',
      'module',
      'from abc import ABC\ndef kind(cls):\n    return type(cls)\n@kind\nclass Make(ABC):\n    pass\ndef made(cls):\n    return Make("P", (), {"__match_" + "args__": ("__glo" + "bals__",)})\n@made\nclass P:\n    pass\ndef f():\n    pass\nP.register(type(f))\nR = None\nmatch f:\n    case P(found):\n        R = found["__buil" + "tins__"]',
    ],
    'namedtuple for a class': [
      'ESCAPE',
      'frame',
      'from abc import ABC\nfrom collections import namedtuple\nBase = namedtuple("Base", ["gi_" + "frame"])\nclass Q(Base, ABC):\n    pass\ndef other(cls):\n    return Q\n@other\nclass P:\n    pass\ndef gen():\n    yield 1\ng = gen()\nQ.register(type(g))\nR = None\nmatch g:\n    case P(found):\n        R = found',
    ],
  }),
  ...evasionsOf('templates by another call', {
    'log format by cls': [
      'ESCAPE',
      'printed',
      'import logging\nout = []\nclass F(logging.Formatter):\n    @classmethod\n    def make(cls, fmt):\n        return cls(fmt, None, "{")\nclass H(logging.Handler):\n    def emit(self, record):\n        out.append(self.format(record))\ndef f():\n    pass\nh = H()\nh.setFormatter(F.make("{msg." + "__glo" + "bals__}"))\nlog = logging.getLogger("x")\nlog.addHandler(h)\nlog.warning(f)\nR = out[0]',
    ],
    'log format by cls handed on': [
      'ESCAPE',
      'printed',
      'import logging\nout = []\ndef make(fmt, kind):\n    return kind(fmt, None, "{")\nclass F(logging.Formatter):\n    @classmethod\n    def make(cls, fmt):\n        return make(fmt, cls)\nclass H(logging.Handler):\n    def emit(self, record):\n        out.append(self.format(record))\ndef f():\n    pass\nh = H()\nh.setFormatter(F.make("{msg." + "__glo" + "bals__}"))\nlog = logging.getLogger("x")\nlog.addHandler(h)\nlog.warning(f)\nR = out[0]',
    ],
    cls: [
      'ESCAPE',
      'printed',
      'class Owner:\n    def __init__(self, template):\n        self.template = template\n    @classmethod\n    def make(cls, text):\n        return cls(text)\n    def run(self, value):\n        return self.template.format(value)\ndef f():\n    pass\no = Owner("safe {0}")\nR = o.make("{0.__glo" + "bals__}").run(f)',
    ],
    '__init__ of a call': [
      'ESCAPE',
      'printed',
      'class Owner:\n    def __init__(self, template):\n        self.template = template\n    def run(self, value):\n        return self.template.format(value)\ndef f():\n    pass\no = Owner("safe {0}")\ndef same():\n    return o\nsame().__init__("{0.__glo" + "bals__}")\nR = o.run(f)',
    ],
    'class kept by a decorator': [
      'ESCAPE',
      'printed',
      'kinds = []\ndef keep(cls):\n    kinds.append(cls)\n    return cls\n@keep\nclass Owner:\n    def __init__(self, template):\n        self.template = template\n    def run(self, value):\n        return self.template.format(value)\ndef f():\n    pass\no = Owner("safe {0}")\nR = kinds[0]("{0.__glo" + "bals__}").run(f)',
    ],
    'self that is a text': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass Own:\n    def format(self, v):\n        return v\n    def run(self, v):\n        return self.format(v)\nR = Own.run("{0.__glo" + "bals__}", f)',
    ],
    'self of a class of text': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass Own:\n    def format(self, v):\n        return v\n    def run(self, v):\n        return self.format(v)\nclass T(str, Own):\n    pass\nR = T("{0.__glo" + "bals__}").run(f)',
    ],
    'method of a class that is handed on': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass Owner:\n    def run(self, template, value):\n        return template.format(value)\ndef kind():\n    return Owner\nR = kind().run("safe {0}", "{0.__glo" + "bals__}", f)',
    ],
  }),
  ...evasionsOf('data that is none', {
    sum: [
      'ESCAPE',
      'printed',
      'def f():\n    pass\ndef template():\n    return "{0.__glo" + "bals__}"\nR = template().format(sum([], f))',
    ],
    round: [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass Own:\n    def __round__(self):\n        return f\ndef template():\n    return "{0.__glo" + "bals__}"\nR = template().format(round(Own()))',
    ],
    'dumps of the file': [
      'ESCAPE',
      'printed',
      'from json import dumps\ndef dumps(x):\n    return x\ndef f():\n    pass\ndef template():\n    return "{0.__glo" + "bals__}"\nR = template().format(dumps(f))',
    ],
    'dumps by an encoder': [
      'ESCAPE',
      'printed',
      'import json\ndef f():\n    pass\nclass E(json.JSONEncoder):\n    def encode(self, o):\n        return f\ndef template():\n    return "{0.__glo" + "bals__}"\nR = template().format(json.dumps(1, cls=E))',
    ],
    'dedent of the file': [
      'ESCAPE',
      'printed',
      'from textwrap import dedent\ndef dedent(x):\n    return "{0.__glo" + "bals__}"\ndef f():\n    pass\nR = dedent("safe {0}").format(f)',
    ],
    str: [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass S(str):\n    def go(self):\n        return f\nclass O:\n    def __str__(self):\n        return S("x")\ndef template():\n    return "{0.go.__func__.__glo" + "bals__}"\nR = template().format(str(O()))',
    ],
    'an f-string': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nclass S(str):\n    def go(self):\n        return f\nclass O:\n    def __format__(self, spec):\n        return S("x")\ndef template():\n    return "{0.go.__func__.__glo" + "bals__}"\nR = template().format(f"{O()}")',
    ],
  }),
  ...evasionsOf('annotations that are texts', {
    'attribute of a class': [
      'CODE',
      'pid',
      'from functools import singledispatch\nclass T:\n    text = "{}[__imp" + "ort__(\'os\').getpid()]"\n@singledispatch\ndef f(x):\n    return None\ntry:\n    @f.register\n    def g(x: T.text):\n        pass\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'name of a text': [
      'CODE',
      'pid',
      'from functools import singledispatch\nT = "{}[__imp" + "ort__(\'os\').getpid()]"\n@singledispatch\ndef f(x):\n    return None\ntry:\n    @f.register\n    def g(x: "T"):\n        pass\nexcept KeyError as e:\n    R = e.args[0]',
    ],
    'item of a class': [
      'CODE',
      'pid',
      'from functools import singledispatch\nclass T:\n    def __class_getitem__(cls, key):\n        return "{}[__imp" + "ort__(\'os\').getpid()]"\n@singledispatch\ndef f(x):\n    return None\ntry:\n    @f.register\n    def g(x: T["a"]):\n        pass\nexcept KeyError as e:\n    R = e.args[0]',
    ],
  }),
  ...evasionsOf('streams by another name', {
    'rebound module': [
      'FILE',
      'handle',
      'import sys\nimport logging\nkept = []\nclass logging:\n    def StreamHandler(stream):\n        kept.append(stream)\nlogging.StreamHandler(sys.stderr)\nR = kept[0].buffer',
    ],
  }),
];
