import { evasionsOf } from './evasion.ts';

export const formatTemplates = [
  ...evasionsOf('format template', {
    'class of a value': ['ESCAPE', 'printed', 'R = "{0.__class__}".format(print)'],
    'globals of a function': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nR = "{0.__globals__}".format(f)',
    ],
    'by keyword': ['ESCAPE', 'printed', 'R = "{x.__class__.__base__}".format(x=print)'],
    'by index': [
      'ESCAPE',
      'printed',
      'def f():\n    pass\nR = "{0.__globals__[__builtins__]}".format(f)',
    ],
    format_map: ['ESCAPE', 'printed', 'R = "{x.__class__}".format_map({"x": print})'],
    'in a nested field': [
      'ESCAPE',
      'printed',
      'R = "<class " + "{0:{1.__class__.__name__}>9}".format("x", 1).replace("int", "") if 0 else "{0!r:{1}} {2.__class__}".format(1, 3, print)',
    ],
    'auto-numbered': ['ESCAPE', 'printed', 'R = "{.__class__}".format(print)'],
    'escaped underscores': ['ESCAPE', 'printed', 'R = "{0.\\x5f_class__}".format(print)'],
    'adjacent strings': ['ESCAPE', 'printed', 'R = ("{0." "__class__}").format(print)'],
    'added strings': ['ESCAPE', 'printed', 'R = ("{0._" + "_class__}").format(print)'],
    'added to a variable': [
      'ESCAPE',
      'printed',
      't = "{0."\nt += "__class__}"\nR = t.format(print)',
    ],
    joined: ['ESCAPE', 'printed', 'R = "".join(["{0.", "__class__", "}"]).format(print)'],
    'by percent': ['ESCAPE', 'printed', 'R = ("{0.%sclass__}" % "__").format(print)'],
    'by an f-string': ['ESCAPE', 'printed', 'n = "class"\nR = f"{{0.__{n}__}}".format(print)'],
    'by another format': [
      'ESCAPE',
      'printed',
      'R = "{{0.{0}class{0}}}".format("__").format(print)',
    ],
    'by replace': ['ESCAPE', 'printed', 'R = "{0.--class--}".replace("-", "_").format(print)'],
    'by decode': ['ESCAPE', 'printed', 'R = b"{0.__class__}".decode().format(print)'],
    'by base64': [
      'ESCAPE',
      'printed',
      'import base64\nR = base64.b64decode("ezAuX19jbGFzc19ffQ==").decode().format(print)',
    ],
    'by json': [
      'ESCAPE',
      'printed',
      'import json\nR = json.loads(\'"{0.\\\\u005f_class__}"\').format(print)',
    ],
    'by chr': [
      'ESCAPE',
      'printed',
      'R = (chr(123) + "0." + "_" * 2 + "class" + "_" * 2 + chr(125)).format(print)',
    ],
    'by slicing': ['ESCAPE', 'printed', 'R = "}__ssalc__.0{"[::-1].format(print)'],
    'by a parameter': [
      'ESCAPE',
      'printed',
      'def f(t, *a):\n    return t.format(*a)\nR = f("{0._" + "_class__}", print)',
    ],
    'by an attribute': [
      'ESCAPE',
      'printed',
      'class A:\n    pass\na = A()\na.t = "{0._" + "_class__}"\nR = a.t.format(print)',
    ],
    'by a dictionary': [
      'ESCAPE',
      'printed',
      'd = {"t": "{0._" + "_class__}"}\nR = d["t"].format(print)',
    ],
    'by a loop': ['ESCAPE', 'printed', 'for t in ["{0._" + "_class__}"]:\n    R = t.format(print)'],
    'by walrus': ['ESCAPE', 'printed', 'R = (t := "{0._" + "_class__}").format(print)'],
    'by a choice': ['ESCAPE', 'printed', 'R = ("x" if 0 else "{0._" + "_class__}").format(print)'],
    'by a slot of a class': [
      'ESCAPE',
      'printed',
      'class A:\n    T = "{0._" + "_class__}"\nR = A.T.format(print)',
    ],
    'str.format': ['ESCAPE', 'printed', 'R = str.format("{0.__class__}", print)'],
    'str.format, made up': ['ESCAPE', 'printed', 'R = str.format("{0._" + "_class__}", print)'],
    'format as a value': ['ESCAPE', 'printed', 'f = ("{0._" + "_class__}").format\nR = f(print)'],
    'format mapped': [
      'ESCAPE',
      'printed',
      'R = list(map(("{0._" + "_class__}").format, [print]))[0]',
    ],
    'str.format mapped': [
      'ESCAPE',
      'printed',
      'R = list(map(str.format, ["{0._" + "_class__}"], [print]))[0]',
    ],
    'format by literal getattr': [
      'ESCAPE',
      'printed',
      'R = getattr("{0._" + "_class__}", "format")(print)',
    ],
    'format by literal getattr, which may be bound': [
      'ESCAPE',
      'printed',
      'if 0:\n    getattr = None\nR = getattr("{0._" + "_class__}", "format")(print)',
    ],
    'of a builtin that may be bound': [
      'ESCAPE',
      'printed',
      'if 0:\n    print = 1\nfor t in ["{0._" + "_class__}"]:\n    R = t.format(print)',
    ],
    'of a text whose class may be bound': [
      'ESCAPE',
      'printed',
      'if 0:\n    class str:\n        def format(self, x):\n            return x\ns = str("{0._" + "_class__}")\nR = s.format(print)',
    ],
    'format by methodcaller': [
      'ESCAPE',
      'printed',
      'from operator import methodcaller\nR = methodcaller("format", 1)("{0._" + "_class__}")',
    ],
    'format by attrgetter': [
      'ESCAPE',
      'printed',
      'from operator import attrgetter\nR = attrgetter("format")("{0._" + "_class__}")(print)',
    ],
    'format by a pattern': [
      'ESCAPE',
      'printed',
      'match "{0._" + "_class__}":\n    case str(format=f):\n        R = f(print)',
    ],
    'format of a subclass': [
      'ESCAPE',
      'printed',
      'class S(str):\n    def go(self, x):\n        return self.format(x)\nR = S("{0._" + "_class__}").go(print)',
    ],
    'format by super': [
      'ESCAPE',
      'printed',
      'class S(str):\n    def go(self, x):\n        return super().format(x)\nR = S("{0._" + "_class__}").go(print)',
    ],
    'format of a user string': [
      'ESCAPE',
      'printed',
      'from collections import UserString\nR = UserString("{0._" + "_class__}").format(print)',
    ],
    'format of typing.Text': [
      'ESCAPE',
      'printed',
      'import typing\nR = typing.Text.format("{0._" + "_class__}", print)',
    ],
    'format of a type': ['ESCAPE', 'printed', 'R = type("").format("{0._" + "_class__}", print)'],
    'log template': [
      'ESCAPE',
      'printed',
      'import io, logging\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(logging.Formatter("{msg._" + "_class__}", style="{"))\nlog = logging.getLogger("y")\nlog.addHandler(h)\nlog.error("x")\nR = out.getvalue()',
    ],
    'log template, constant': [
      'ESCAPE',
      'printed',
      'import logging\nf = logging.Formatter("{msg.__class__}", style="{")\nR = f.format(logging.LogRecord("n", 10, "p", 1, "m", (), None))',
    ],
    'log template, positional style': [
      'ESCAPE',
      'printed',
      'import logging\nf = logging.Formatter("{msg._" + "_class__}", None, "{")\nR = f.format(logging.LogRecord("n", 10, "p", 1, "m", (), None))',
    ],
  }),
];
