import { evasionsOf } from './evasion.ts';

export const spiesAndDoors = [
  ...evasionsOf('spies on library classes', {
    'redirect_stdout of another name': [
      'FILE',
      'patched',
      'import contextlib\nclass P(contextlib.redirect_stdout):\n    _stream = "argv"\nwith P(["patched"]):\n    import sys\n    R = sys.argv[0]',
    ],
    'redirect spy setattr': [
      'FILE',
      'text',
      'import contextlib, io\nseen = []\nclass P(contextlib.redirect_stderr):\n    def __setattr__(self, n, v):\n        seen.append(v)\n        super().__setattr__(n, v)\nwith P(io.StringIO()):\n    pass\n    b = [s for s in seen if isinstance(s, list)][0][0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'thread spy setattr': [
      'FILE',
      'text',
      'import threading\nseen = []\nclass T(threading.Thread):\n    def __setattr__(self, n, v):\n        seen.append(v)\n        super().__setattr__(n, v)\nT()\nb = [s for s in seen if hasattr(s, "buffer")][0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'thread property stderr': [
      'FILE',
      'text',
      'import threading\nseen = []\nclass T(threading.Thread):\n    @property\n    def _stderr(self):\n        return None\n    @_stderr.setter\n    def _stderr(self, v):\n        seen.append(v)\nT()\nb = seen[0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'stream handler spy property': [
      'FILE',
      'text',
      'import logging\nseen = []\nclass D:\n    def __set__(self, o, v):\n        seen.append(v)\nclass H(logging.StreamHandler):\n    stream = D()\nH()\nb = seen[0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'pprint spy': [
      'FILE',
      'text',
      'import pprint\nseen = []\nclass P(pprint.PrettyPrinter):\n    def __setattr__(self, n, v):\n        seen.append(v)\n        super().__setattr__(n, v)\nP()\nb = [s for s in seen if hasattr(s, "buffer")][0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'made thread': [
      'FILE',
      'text',
      'import threading\nseen = []\ndef f(x):\n    return type(x)\nT = f(int)("T", (threading.Thread,), {"_std" + "err": property(lambda s: None, lambda s, v: seen.append(v))})\nT()\nb = seen[0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'spy by mixin': [
      'FILE',
      'text',
      'import threading\nseen = []\nclass Spy:\n    def __setattr__(self, n, v):\n        seen.append(v)\n        super().__setattr__(n, v)\nclass T(Spy, threading.Thread):\n    pass\nT()\nb = [s for s in seen if hasattr(s, "buffer")][0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'spy by mixin and value': [
      'FILE',
      'text',
      'import threading\nseen = []\nclass Spy:\n    def __setattr__(self, n, v):\n        seen.append(v)\n        super().__setattr__(n, v)\nbase = [threading.Thread][0]\nclass T(Spy, base):\n    pass\nT()\nb = [s for s in seen if hasattr(s, "buffer")][0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'print rebound in class': [
      'FILE',
      'text',
      'import sys\nseen = []\nclass A:\n    def print(x):\n        seen.append(x)\n    print(sys.stderr)\nb = seen[0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
    'print global rebound': [
      'FILE',
      'text',
      'import sys\nseen = []\ndef f():\n    global print\n    print = seen.append\nf()\nprint(sys.stderr)\nb = seen[0].buffer\nR = type(getattr(b, "raw", b))("/tmp/planted.txt").read()',
    ],
  }),
  ...evasionsOf('private names of the library', {
    'WeakMethod parts': [
      'NETWORK',
      'hidden',
      'import weakref\nclass A:\n    def m(self):\n        pass\na = A()\nR = weakref.WeakMethod(a.m)._func_ref()',
    ],
    'Thread context locals': [
      'NETWORK',
      'hidden',
      'import threading\nR = threading.Thread(target=print)._target',
    ],
    'thread bootstrap': [
      'NETWORK',
      'hidden',
      'import threading\nR = threading.Thread()._make_invoke_excepthook if hasattr(threading.Thread(), "_make_invoke_excepthook") else threading.Thread._bootstrap',
    ],
  }),
  ...evasionsOf('modules by another way', {
    'AttributeError.obj of agent package': [
      'IMPORT',
      'pid',
      'import paddock_agent\ntry:\n    paddock_agent.nothing_there\nexcept AttributeError as e:\n    m = e.obj\nR = m.os.getpid()',
    ],
    'AttributeError.obj by __exit__': [
      'IMPORT',
      'pid',
      'import paddock_agent\nclass C:\n    def __enter__(self):\n        return self\n    def __exit__(self, t, v, tb):\n        self.m = v.obj\n        return True\nwith C() as c:\n    paddock_agent.nothing_there\nR = c.m.os.getpid()',
    ],
    'star import agent': ['IMPORT', 'module', 'from paddock_agent import *\nR = os'],
    'star import agent submodule': [
      'IMPORT',
      'pid',
      'from paddock_agent.tools import *\nR = os.getpid()',
    ],
  }),
  ...evasionsOf('log formats', {
    'own Formatter with brace style': [
      'ESCAPE',
      'printed',
      'import logging\nclass F(logging.Formatter):\n    pass\nimport io\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(F("{msg._" + "_class__}", None, "{"))\nlog = logging.getLogger("q1")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
    'own Formatter super init style': [
      'ESCAPE',
      'printed',
      'import logging, io\nclass F(logging.Formatter):\n    def __init__(self):\n        super().__init__("{msg._" + "_class__}", style="{")\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(F())\nlog = logging.getLogger("q2")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
    'basicConfig brace style': [
      'ESCAPE',
      'printed',
      'import logging, io\nout = io.StringIO()\nlogging.basicConfig(format="{msg._" + "_class__}", style="{", stream=out, force=True)\nlogging.error(print)\nR = out.getvalue()',
    ],
    'formatter init again': [
      'ESCAPE',
      'printed',
      'import logging, io\nf = logging.Formatter("%(message)s")\nf.__init__("{msg._" + "_class__}", None, "{")\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(f)\nlog = logging.getLogger("q3")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
    "formatter of a formatter's type": [
      'ESCAPE',
      'printed',
      'import logging, io\nf = type(logging.Formatter("%(message)s"))("{msg._" + "_class__}", style="{")\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(f)\nlog = logging.getLogger("q4")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
    'own Formatter F.__init__': [
      'ESCAPE',
      'printed',
      'import logging, io\nclass F(logging.Formatter):\n    pass\nclass G(F):\n    def __init__(self):\n        F.__init__(self, "{msg._" + "_class__}", None, "{")\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(G())\nlog = logging.getLogger("q5")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
    'own Formatter args of a table': [
      'ESCAPE',
      'printed',
      'import logging, io\nclass F(logging.Formatter):\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\nk = {"style": "{"}\nout = io.StringIO()\nh = logging.StreamHandler(out)\nh.setFormatter(F("{msg._" + "_class__}", **k))\nlog = logging.getLogger("q6")\nlog.addHandler(h)\nlog.error(print)\nR = out.getvalue()',
    ],
  }),
];
