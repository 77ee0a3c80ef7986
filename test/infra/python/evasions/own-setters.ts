/** `__setattr__` of a class hands on what Python gave it; a file that can call it sets anything. */
import { evasionsOf } from './evasion.ts';

const target = 'def f(x=1):\n    return x\nkept = []\n';
const setter =
  '    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)\n';
const patch = 'kept[0](f, "__defau" + "lts__", ("patched",))\nR = f()';
const shownBy = (before: string, bases: string, after = ''): ['ESCAPE', 'patched', string] => [
  ...(['ESCAPE', 'patched'] as const),
  `${target}${before}class A(${bases}):\n${setter}${after}${patch}`,
];

const copied = (setter: string, before = ''): ['ESCAPE', 'patched', string] => [
  ...(['ESCAPE', 'patched'] as const),
  `import copy\n${target}${before}class A:\n    __slots__ = ("__defau" + "lts__",)\n    def __getattr__(self, n):\n        if n[:6] == "__defa":\n            return ("patched",)\n        raise AttributeError(n)\n    def __setattr__(self, name, value):\n        ${setter}.__setattr__(name, value)\ncopy.copy(A())\nR = f()`,
];

export const ownSetters = [
  ...evasionsOf('own setter', {
    'called by copy, of another object': copied('f'),
    'called by copy, of what is called super': copied('super()', 'def super():\n    return f\n'),
    'called with one argument too many': [
      'ESCAPE',
      'patched',
      `${target}class A:\n    def __setattr__(self, name, value):\n        f.__setattr__(name, value)\ndef g():\n    return A\ng().__setattr__("abc", "__defau" + "lts__", ("patched",))\nR = f()`,
    ],
    'of a function, with the value written out': [
      'ESCAPE',
      'patched',
      `${target}f.__setattr__("__mod" + "ule__", "patched")\nR = f.__module__`,
    ],
    'of a code object that is none': [
      'FILE',
      'hidden',
      'class D:\n    pass\nd = D()\nd.__setattr__("co_" + "filename", "/tmp/planted.txt")\nR = [d for n in dir(d) if n == "co_" + "filename"][0]',
    ],
    'of object, with a star': [
      'ESCAPE',
      'patched',
      `${target}a = (f, "__mod" + "ule__")\nobject.__setattr__(*a, "patched")\nR = f.__module__`,
    ],
    decorated: [
      'ESCAPE',
      'patched',
      `${target}def keep(g):\n    kept.append(g)\n    return g\nclass A:\n    @keep\n${setter}${patch}`,
    ],
    'decorated, of a traceback': [
      'FILE',
      'text',
      `import traceback\n${target}def keep(g):\n    kept.append(g)\n    return g\nclass A:\n    @keep\n${setter}class O:\n    pass\nt, frame, code = O(), O(), O()\nfor o, n, v in [(t, "tb_" + "frame", frame), (t, "tb_" + "lasti", -1), (t, "tb_" + "lineno", 1), (t, "tb_" + "next", None), (frame, "f_" + "code", code), (frame, "f_" + "globals", {}), (frame, "f_" + "lineno", 1), (code, "co_" + "filename", "/tmp/planted.txt"), (code, "co_" + "name", "n"), (code, "co_" + "positions", lambda: iter(()))]:\n    kept[0](o, n, v)\nR = "".join(traceback.format_exception(None, ValueError("x"), t))`,
    ],
    'parameters in another order': [
      'ESCAPE',
      'patched',
      `${target}class A(tuple):\n    def __setattr__(self, name, value, o=f):\n        object.__setattr__(o, value, self)\nA(("patched",)).x = "__defau" + "lts__"\nR = f()`,
    ],
    'a name from the value': [
      'ESCAPE',
      'patched',
      'class A:\n    def __setattr__(self, value, name):\n        object.__setattr__(self, name, value)\na = A()\na.x = "__match_" + "args__"\nR = ["patched" for n in dir(a) if n == "__match_" + "args__"][0]',
    ],
    'parameters with defaults': [
      'ESCAPE',
      'patched',
      `${target}class A:\n    def __setattr__(*s, name="__defau" + "lts__", value=("patched",)):\n        f.__setattr__(name, value)\nA().x = 1\nR = f()`,
    ],
    'shown to __new__ of a metaclass': shownBy(
      'class M(type):\n    def __new__(m, n, b, d):\n        kept.append(d.get("__setattr__"))\n        return super().__new__(m, n, b, d)\n',
      'metaclass=M',
    ),
    'shown to __new__ of a metaclass, among all': shownBy(
      'class M(type):\n    def __new__(m, n, b, d):\n        kept.extend(v for v in d.values() if not isinstance(v, str))\n        return super().__new__(m, n, b, d)\n',
      'metaclass=M',
    ),
    'shown to __init__ of a metaclass': shownBy(
      'class M(type):\n    def __init__(c, n, b, d):\n        kept.append(d["__setattr__"])\n',
      'metaclass=M',
    ),
    "shown to __init__ of a base's metaclass": shownBy(
      'class M(type):\n    def __init__(c, n, b, d):\n        kept.append(d.get("__setattr__"))\nclass B(metaclass=M):\n    pass\nkept.clear()\n',
      'B',
    ),
    'shown to __call__ of the metaclass of a metaclass': shownBy(
      'class MM(type):\n    def __call__(c, n, b, d):\n        kept.append(d["__setattr__"])\n        return super().__call__(n, b, d)\nclass M(type, metaclass=MM):\n    pass\n',
      'metaclass=M',
    ),
    'shown to a function as metaclass': shownBy(
      'def m(n, b, d):\n    kept.append(d["__setattr__"])\n',
      'metaclass=m',
    ),
    'shown to an object as metaclass': shownBy(
      'class C:\n    def __call__(self, n, b, d):\n        kept.append(d["__setattr__"])\n',
      'metaclass=C()',
    ),
    'shown to a class as metaclass': shownBy(
      'class C:\n    def __init__(self, n, b, d):\n        kept.append(d["__setattr__"])\n',
      'metaclass=C',
    ),
    'kept by a named tuple as metaclass': shownBy(
      'from typing import NamedTuple\nclass C(NamedTuple):\n    n: str\n    b: tuple\n    d: dict\n',
      'metaclass=C',
      'kept.append(A.d["__setattr__"])\n',
    ),
    'kept by a chain as metaclass': shownBy(
      'from collections import ChainMap\n',
      'metaclass=ChainMap',
      'kept.append(A.maps[2]["__setattr__"])\n',
    ),
    'kept by a slice as metaclass': shownBy(
      '',
      'metaclass=slice',
      'kept.append(A.step["__setattr__"])\n',
    ),
    'shown to what may be a listed metaclass': shownBy(
      'from abc import ABCMeta\nif 1:\n    def ABCMeta(n, b, d):\n        kept.append(d["__setattr__"])\n',
      'metaclass=ABCMeta',
    ),
    'kept by what may be a listed metaclass': shownBy(
      'from abc import ABCMeta as M\nif 1:\n    from collections import ChainMap as M\n',
      'metaclass=M',
      'kept.append(A.maps[2]["__setattr__"])\n',
    ),
    'shown to what a base makes': shownBy(
      'class C:\n    def __init__(self, *a):\n        if a:\n            kept.append(a[2]["__setattr__"])\nc = C()\n',
      'c',
    ),
    'shown to a metaclass by unpacking': shownBy(
      'def m(n, b, d):\n    kept.append(d["__setattr__"])\nk = {"meta" + "class": m}\n',
      '**k',
    ),
    'read in the body': shownBy('', '', '    kept.append(__setattr__)\n'),
    'read by a default': shownBy(
      '',
      '',
      '    def g(self, s=__setattr__):\n        return s\nkept.append(A.g(1))\n',
    ),
    'read of the class': shownBy('', '', 'kept.append(A.__setattr__)\n'),
    'read by a literal name': shownBy('', '', 'kept.append(getattr(A, "__setattr__"))\n'),
  }),
  ...evasionsOf('slots of computed names', {
    'a name of code objects': [
      'ESCAPE',
      'hidden',
      'class A:\n    __slots__ = ("co_" + "filename",)\nR = [n for n in dir(A) if n == "co_" + "filename"][0]',
    ],
    'from a function': [
      'ESCAPE',
      'hidden',
      'def names():\n    return ["co_" + "filename"]\nclass A:\n    __slots__ = names()\nR = [n for n in dir(A) if n == "co_" + "filename"][0]',
    ],
    'under two names': [
      'ESCAPE',
      'hidden',
      'class A:\n    more = __slots__ = []\n    more.append("co_" + "filename")\nR = [n for n in dir(A) if n == "co_" + "filename"][0]',
    ],
    'set by copy': [
      'ESCAPE',
      'hidden',
      'import copy\nclass A:\n    __slots__ = ("co_" + "filename",)\n    def __getattr__(self, n):\n        if n[:3] == "co_":\n            return "/tmp/planted.txt"\n        raise AttributeError(n)\n    def __setattr__(self, name, value):\n        super().__setattr__(name, value)\na = copy.copy(A())\nR = [n for n in dir(a) if n == "co_" + "filename"][0]',
    ],
  }),
];
