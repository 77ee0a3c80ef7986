import { evasionsOf } from './evasion.ts';

export const attributesByName = [
  ...evasionsOf('attribute by name', {
    'getattr, made-up name': [
      'ESCAPE',
      'root',
      'R = getattr(getattr((), "__cl" + "ass__"), "__base" + "__")',
    ],
    'getattr, literal dunder': [
      'ESCAPE',
      'root',
      'R = getattr(getattr((), "__class__"), "__base__")',
    ],
    'getattr, escaped': [
      'ESCAPE',
      'root',
      'R = getattr(getattr((), "\\x5f\\x5fclass__"), "\\u005f_base__")',
    ],
    'getattr, octal': [
      'ESCAPE',
      'root',
      'R = getattr(getattr((), "\\137_class__"), "\\137_base__")',
    ],
    'getattr, adjacent strings': [
      'ESCAPE',
      'root',
      'R = getattr(getattr((), "__cl" "ass__"), "__ba" "se__")',
    ],
    'getattr, f-string': [
      'ESCAPE',
      'root',
      'c = "class"\nb = "base"\nR = getattr(getattr((), f"__{c}__"), f"__{b}__")',
    ],
    'getattr, as a value': ['ESCAPE', 'root', 'g = getattr\nR = g(g((), "__class__"), "__base__")'],
    'getattr, from a tuple': [
      'ESCAPE',
      'root',
      'R = (getattr,)[0]((getattr,)[0]((), "__class__"), "__base__")',
    ],
    'getattr, reduced': [
      'ESCAPE',
      'root',
      'from functools import reduce\nR = reduce(getattr, "__class__.__base__".split("."), ())',
    ],
    'getattr, partial': [
      'ESCAPE',
      'root',
      'from functools import partial\nR = partial(getattr, int)("__base__")',
    ],
    'getattr, unpacked': ['ESCAPE', 'root', 'R = getattr(*[int, "__base__"])'],
    'getattr, mapped': ['ESCAPE', 'root', 'R = list(map(getattr, [int], ["__base__"]))[0]'],
    'getattr, starmap': [
      'ESCAPE',
      'root',
      'from itertools import starmap\nR = list(starmap(getattr, [(int, "__base__")]))[0]',
    ],
    'getattr, default argument': [
      'ESCAPE',
      'root',
      'def f(o, n, g=getattr):\n    return g(o, n)\nR = f(int, "__base__")',
    ],
    'getattr, reversed': ['ESCAPE', 'root', 'R = getattr(int, "__esab__"[::-1])'],
    'getattr, joined': ['ESCAPE', 'root', 'R = getattr(int, "_".join(["", "", "base", "", ""]))'],
    'getattr, replaced': ['ESCAPE', 'root', 'R = getattr(int, "--base--".replace("-", "_"))'],
    'getattr, percent': ['ESCAPE', 'root', 'R = getattr(int, "__%s__" % "base")'],
    'getattr, bytes': [
      'ESCAPE',
      'root',
      'R = getattr(int, bytes([95, 95, 98, 97, 115, 101, 95, 95]).decode())',
    ],
    'getattr, a variable': ['ESCAPE', 'root', 'n = "__base__"\nR = getattr(int, n)'],
    'getattr, wide letters': ['ESCAPE', 'root', 'R = g\uff45tattr(int, "__base__")'],
    attrgetter: [
      'ESCAPE',
      'root',
      'import operator\nR = operator.attrgetter("__class__.__base__")(())',
    ],
    'attrgetter, made up': [
      'ESCAPE',
      'root',
      'from operator import attrgetter as a\nR = a("__ba" + "se__")(int)',
    ],
    'attrgetter, as a value': [
      'ESCAPE',
      'root',
      'from operator import attrgetter as a\nb = a\nR = b("__ba" + "se__")(int)',
    ],
    'attrgetter, by its type': [
      'ESCAPE',
      'root',
      'from operator import attrgetter as a\nR = type(a("x"))("__ba" + "se__")(int)',
    ],
    methodcaller: [
      'ESCAPE',
      'classes',
      'from operator import methodcaller\nR = methodcaller("__subclasses__")(object)',
    ],
    'methodcaller, made up': [
      'ESCAPE',
      'classes',
      'from operator import methodcaller as m\nR = m("__sub" + "classes__")(object)',
    ],
    'methodcaller, by its type': [
      'ESCAPE',
      'classes',
      'from operator import methodcaller as m\nR = type(m("x"))("__sub" + "classes__")(object)',
    ],
    'methodcaller with a reducer': [
      'ESCAPE',
      'hidden',
      'from operator import methodcaller\nR = methodcaller("__reduce_ex__", 4)(1)',
    ],
    setattr: [
      'ESCAPE',
      'patched',
      'def f(x=1):\n    return x\nsetattr(f, "__defau" + "lts__", ("patched",))\nR = f()',
    ],
    'setattr, literal dunder': [
      'ESCAPE',
      'patched',
      'def f(x=1):\n    return x\nsetattr(f, "__defaults__", ("patched",))\nR = f()',
    ],
    'setattr, any name': [
      'INTEGRITY',
      'patched',
      'class A:\n    pass\nn = "x" * 3\nsetattr(A, n, "patched")\nR = A.xxx',
    ],
    'setattr of a library, which may be bound': [
      'INTEGRITY',
      'patched',
      'import textwrap\nif 0:\n    setattr = None\nsetattr(textwrap.TextWrapper, "wrap", "patched")\nR = textwrap.TextWrapper.wrap',
    ],
    'delattr of a library, which may be bound': [
      'INTEGRITY',
      'patched',
      'import textwrap\nif 0:\n    delattr = None\ndelattr(textwrap.TextWrapper, "fill")\nR = "patched"',
    ],
    'attrgetter of a stream, under another name': [
      'FILE',
      'handle',
      'import logging\nfrom operator import attrgetter as read\nR = read("stream")(logging.StreamHandler())',
    ],
    "attrgetter of an error's object, under another name": [
      'IMPORT',
      'module',
      'import paddock_agent.tools\nfrom operator import attrgetter as read\ntry:\n    paddock_agent.tools.nothing\nexcept AttributeError as e:\n    R = read("obj")(e)',
    ],
    delattr: [
      'ESCAPE',
      'patched',
      'def f(x="x"):\n    return x\ndelattr(f, "__defau" + "lts__")\ntry:\n    f()\nexcept TypeError:\n    R = "patched"',
    ],
    'AttributeError.obj': [
      'IMPORT',
      'module',
      'import json\ntry:\n    json.nothing\nexcept AttributeError as e:\n    R = e.obj',
    ],
    'ImportError.name': [
      'IMPORT',
      'module',
      'try:\n    from json import nothing\nexcept ImportError as e:\n    R = __import__(e.name)',
    ],
    'dataclass fields, renamed': [
      'ESCAPE',
      'hidden',
      'from dataclasses import dataclass, fields, asdict\n@dataclass\nclass A:\n    x: int = 0\nfields(A)[0].name = "__cl" + "ass__"\nR = asdict(A())["__class__"]',
    ],
  }),
];
