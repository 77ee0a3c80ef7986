/** `name += value` and `x.name += value` read what they write, and the value is handed it. */
import { evasionsOf } from './evasion.ts';

const taker =
  'kept = []\nclass C:\n    def __radd__(self, f):\n        kept.append(f)\n        return 1\n';
const logger = `import logging\n${taker}`;

export const augmented = [
  ...evasionsOf('augmented assignment', {
    eval: ['CODE', 'two', `${taker}eval += C()\nR = kept[0]("1+1")`],
    'eval by another operator': [
      'CODE',
      'two',
      'kept = []\nclass C:\n    def __rmatmul__(self, f):\n        kept.append(f)\neval @= C()\nR = kept[0]("1+1")',
    ],
    exec: ['CODE', 'two', `${taker}exec += C()\nd = {}\nkept[0]("r = 1+1", d)\nR = d["r"]`],
    'eval in brackets': ['CODE', 'two', `${taker}(eval) += C()\nR = kept[0]("1+1")`],
    'eval in a class': ['CODE', 'two', `${taker}class A:\n    eval += C()\nR = kept[0]("1+1")`],
    'eval in a function': [
      'CODE',
      'two',
      `${taker}def g():\n    global eval\n    eval += C()\ng()\nR = kept[0]("1+1")`,
    ],
    open: ['FILE', 'text', `${taker}open += C()\nR = kept[0]("/tmp/planted.txt").read()`],
    getattr: ['ESCAPE', 'root', `${taker}getattr += C()\nR = kept[0](int, "__ba" + "se__")`],
    setattr: [
      'ESCAPE',
      'patched',
      `${taker}def f(x=1):\n    return x\nsetattr += C()\nkept[0](f, "__defau" + "lts__", ("patched",))\nR = f()`,
    ],
    type: ['CODE', 'made', `${taker}type += C()\nR = kept[0]("A", (), {})`],
    'a module': ['IMPORT', 'module', `import json\n${taker}json += C()\nR = kept[0]`],
    "a member of the library's": [
      'CODE',
      'made',
      `from enum import Enum\n${taker}Enum += C()\nR = kept[0]("A", {"x": 1})`,
    ],
    'an own metaclass': [
      'CODE',
      'made',
      `${taker}class M(type):\n    pass\nM += C()\nR = kept[0]("A", (), {})`,
    ],
    'an own enumeration': [
      'CODE',
      'made',
      `from enum import Enum\n${taker}class E(Enum):\n    pass\nE += C()\nR = kept[0]("A", {"x": 1})`,
    ],
    'an own formatter': [
      'ESCAPE',
      'printed',
      `import io\n${logger}class F(logging.Formatter):\n    pass\nF += C()\nf = kept[0]("{msg.__cla" + "ss__}", style="{")\no = io.StringIO()\nh = logging.StreamHandler(o)\nh.setFormatter(f)\nlog = logging.getLogger("x")\nlog.addHandler(h)\nlog.warning(1)\nR = o.getvalue()`,
    ],
    'the stream of a log handler': [
      'FILE',
      'handle',
      `${logger}h = logging.StreamHandler()\nh.stream += C()\nR = kept[0]`,
    ],
    'the handlers of a logger': [
      'FILE',
      'handle',
      `${logger}log = logging.getLogger()\nlogging.basicConfig()\nlog.handlers += C()\nR = kept[0][0].stream`,
    ],
    'the module that lacked an attribute': [
      'IMPORT',
      'module',
      `from paddock_agent import tools\n${taker}try:\n    tools.nothing\nexcept AttributeError as e:\n    e.obj += C()\nR = kept[0]`,
    ],
    'a method of a text': [
      'ESCAPE',
      'printed',
      `${taker}s = "{0." + "".join(["__cla", "ss__}"])\ntry:\n    s.format += C()\nexcept AttributeError:\n    pass\nR = kept[0](1)`,
    ],
    'an own function that fills a template': [
      'ESCAPE',
      'printed',
      `${taker}def fill(template, x):\n    return template.format(x)\nfill("{0}", C)\nclass A:\n    global fill\n    fill += C()\nR = kept[0]("{0.__cla" + "ss__}", C)`,
    ],
    'an own method that fills a template': [
      'ESCAPE',
      'printed',
      `${taker}class F:\n    def fill(self, template, x):\n        return template.format(x)\nF().fill("{0}", C)\nf = F()\nf.fill += C()\nR = kept[0]("{0.__cla" + "ss__}", C)`,
    ],
    'an own table of templates': [
      'ESCAPE',
      'printed',
      'class C:\n    def __radd__(self, t):\n        t["a"] = "{0.__cla" + "ss__}"\n        return t\nT = {"a": "{0}"}\nclass A:\n    T += C()\nR = T["a"].format(C)',
    ],
    'a setter of its own': [
      'ESCAPE',
      'patched',
      `${taker}def f(x=1):\n    return x\nclass A:\n    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)\n    __setattr__ += C()\nkept[0](f, "__defau" + "lts__", ("patched",))\nR = f()`,
    ],
  }),
];
