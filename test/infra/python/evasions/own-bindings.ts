/** The file binds the name of a builtin as well, and still reads the builtin. */
import { evasionsOf } from './evasion.ts';

export const ownBindings = [
  ...evasionsOf('bound by itself', {
    eval: ['CODE', 'two', 'eval = eval\nR = eval("1+1")'],
    type: ['CODE', 'made', 'type = type\nR = type("A", (), {})'],
    getattr: ['ESCAPE', 'root', 'getattr = getattr\nR = getattr(int, "__ba" + "se__")'],
    open: ['FILE', 'text', 'open = open\nR = open("/tmp/planted.txt").read()'],
    'one of several targets': ['CODE', 'two', 'a = eval = eval\nR = a("1+1")'],
    'with an annotation': ['CODE', 'two', 'eval: object = eval\nR = eval("1+1")'],
    'in a tuple': ['CODE', 'two', 'eval, x = eval, 1\nR = eval("1+1")'],
    'with a star': ['CODE', 'two', '*eval, = [eval]\nR = eval[0]("1+1")'],
    'as an index of another target': [
      'CODE',
      'two',
      'd = {}\nd[eval] = eval = 3\nR = list(d)[0]("1+1")',
    ],
    'called at once': ['CODE', 'two', 'eval = eval("1+1")\nR = eval'],
    'in a lambda that is called at once': [
      'CODE',
      'two',
      'eval = (lambda: eval("1+1"))()\nR = eval',
    ],
    'in an f-string': ['CODE', 'two', 'eval = f"{eval(\'1+1\')}"\nR = int(eval)'],
    'by a comprehension': ['CODE', 'two', 'R = [eval for eval in [eval]][0]("1+1")'],
    'by with': [
      'CODE',
      'two',
      'from contextlib import nullcontext\nwith nullcontext(eval) as eval:\n    R = eval("1+1")',
    ],
    'by for': ['CODE', 'two', 'for eval in [eval]:\n    R = eval("1+1")'],
    'by walrus': ['CODE', 'two', '(eval := eval)\nR = eval("1+1")'],
    'by a capture': ['CODE', 'two', 'match eval:\n    case eval:\n        R = eval("1+1")'],
    'by an augmented assignment': [
      'CODE',
      'two',
      'class N:\n    def __iadd__(self, f):\n        return f\nn = N()\nn += eval\neval = n\nR = eval("1+1")',
    ],
    'on the line before': ['CODE', 'two', 'R = eval("1+1"); eval = 1'],
    'in a loop': ['CODE', 'two', 'for i in [0]:\n    R = eval("1+1")\n    eval = None'],
    'in finally': ['CODE', 'two', 'try:\n    eval = eval\nfinally:\n    R = eval("1+1")'],
    'by a default': ['CODE', 'two', 'def eval(s, f=eval):\n    return f(s)\nR = eval("1+1")'],
    'by a named default': [
      'CODE',
      'two',
      'def eval(s, *, f=eval):\n    return f(s)\nR = eval("1+1")',
    ],
    'by an annotation': [
      'CODE',
      'two',
      'seen = []\nclass K:\n    def __class_getitem__(cls, x):\n        seen.append(x)\ndef eval(s: K[eval]):\n    return s\nR = seen[0]("1+1")',
    ],
    'by an annotation of the result': [
      'CODE',
      'two',
      'seen = []\nclass K:\n    def __class_getitem__(cls, x):\n        seen.append(x)\ndef eval(s) -> K[eval]:\n    return s\nR = seen[0]("1+1")',
    ],
    'by a decorator': [
      'CODE',
      'two',
      'seen = []\ndef keep(f):\n    seen.append(f)\n    return lambda g: g\n@keep(eval)\ndef eval(s):\n    return s\nR = seen[0]("1+1")',
    ],
    'in a function that its decorator calls': [
      'CODE',
      'two',
      'def now(f):\n    return f()\n@now\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function that a cache hands on': [
      'CODE',
      'two',
      'from functools import lru_cache\ndef now(f):\n    return f()\n@lru_cache(now)\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function that a cache of a named size hands on': [
      'CODE',
      'two',
      'import functools\ndef now(f):\n    return f()\n@functools.lru_cache(maxsize=now)\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function that a cache without a size hands on': [
      'CODE',
      'two',
      'from functools import cache\ndef now(f):\n    return f()\n@cache(now)\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function under what may be a cache': [
      'CODE',
      'two',
      'from functools import lru_cache\nif 1:\n    def lru_cache(f):\n        return f()\n@lru_cache\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function under a cache of another module': [
      'CODE',
      'two',
      'class functools:\n    def lru_cache(f):\n        return f()\n@functools.lru_cache\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function under a cache and what calls it': [
      'CODE',
      'two',
      'from functools import cache\ndef now(f):\n    return f()\n@now\n@cache\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'in a function under an own staticmethod': [
      'CODE',
      'two',
      'def staticmethod(f):\n    return f()\n@staticmethod\ndef eval():\n    return eval("1+1")\nR = eval',
    ],
    'by a keyword of a class': [
      'CODE',
      'two',
      'class B:\n    def __init_subclass__(cls, f):\n        cls.f = staticmethod(f)\nclass eval(B, f=eval):\n    pass\nR = eval.f("1+1")',
    ],
    'in the body of a class': ['CODE', 'two', 'class eval:\n    r = eval("1+1")\nR = eval.r'],
    'in a method that the body of a class calls': [
      'CODE',
      'two',
      'class eval:\n    def f():\n        return eval("1+1")\n    r = f()\nR = eval.r',
    ],
    'and used in a function': [
      'CODE',
      'two',
      'eval = eval\ndef f():\n    return eval("1+1")\nR = f()',
    ],
  }),
  ...evasionsOf('scope of a class', {
    'eval that a function around it binds': [
      'CODE',
      'two',
      'def f(eval):\n    class A:\n        e = eval\n        eval = 1\n    return A.e\nR = f(None)("1+1")',
    ],
    'eval that it never binds itself': [
      'CODE',
      'two',
      'def f(eval):\n    class A:\n        r = eval("1+1")\n        if 0:\n            eval = 1\n    return A.r\nR = f(None)',
    ],
    'getattr that a function around it binds': [
      'ESCAPE',
      'root',
      'def f(getattr):\n    class A:\n        r = getattr(int, "__ba" + "se__")\n        if 0:\n            getattr = 1\n    return A.r\nR = f(None)',
    ],
    'type that a function around it binds': [
      'CODE',
      'made',
      'def f(type):\n    class A:\n        r = type("A", (), {})\n        if 0:\n            type = 1\n    return A.r\nR = f(None)',
    ],
    'a module that a function around it binds': [
      'IMPORT',
      'pid',
      'def f():\n    import os as x\n    class A:\n        global x\n        def g(self):\n            return x.getpid()\n    return A().g()\nR = f()',
    ],
  }),
  ...evasionsOf('a class with another binding', {
    'a metaclass': [
      'CODE',
      'made',
      'if 0:\n    M = 1\nclass M(type):\n    pass\nR = M("A", (), {})',
    ],
    'an enumeration without members': [
      'CODE',
      'made',
      'from enum import Enum\nclass E(Enum):\n    pass\nif 0:\n    E = 1\nR = E("A", {"x": 1})',
    ],
  }),
  ...evasionsOf('annotated in brackets', {
    eval: ['CODE', 'two', 'def f(s):\n    (eval): int\n    return eval(s)\nR = f("1+1")'],
    type: ['CODE', 'made', 'def f():\n    ((type)): int\n    return type("A", (), {})\nR = f()'],
    getattr: [
      'ESCAPE',
      'root',
      'def f():\n    if 1: (getattr): int\n    return getattr(int, "__ba" + "se__")\nR = f()',
    ],
  }),
  ...evasionsOf('bound by a star import as well', {
    'in a branch that never runs': [
      'IMPORT',
      'pid',
      'from paddock_agent.tools import *\nif 0:\n    os = 1\nR = os.getpid()',
    ],
    'before it': ['IMPORT', 'pid', 'os = 1\nfrom paddock_agent.tools import *\nR = os.getpid()'],
    'before it, in a branch': [
      'IMPORT',
      'pid',
      'os = 1\nif 1:\n    from paddock_agent.tools import *\nR = os.getpid()',
    ],
    'before it, in a loop': [
      'IMPORT',
      'pid',
      'os = 1\nfor i in (0, 1):\n    if i:\n        R = os.getpid()\n    from paddock_agent.tools import *',
    ],
    'as another module': [
      'IMPORT',
      'pid',
      'import asyncio as os\nfrom paddock_agent.tools import *\nR = os.getpid()',
    ],
  }),
];
