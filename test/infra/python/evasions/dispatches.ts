import { evasionsOf } from './evasion.ts';

/** Beside a `register` and a `registry` of the file's own, which are accepted. */
export const dispatches = [
  ...evasionsOf('single dispatch', {
    'the classes that a dispatch knows': [
      'ESCAPE',
      'root',
      'import functools\n@functools.singledispatch\ndef f(x):\n    pass\n@f.register\ndef g(x: type):\n    pass\nR = [k for k in f.registry if k is not object][0]',
    ],
    'the classes that a dispatch knows by a text': [
      'ESCAPE',
      'root',
      'import functools\n@functools.singledispatch\ndef f(x):\n    pass\n@f.register\ndef g(x: "type"):\n    pass\nR = [k for k in f.registry if k is not object][0]',
    ],
    'singledispatch of a text, by an own class that is none': [
      'CODE',
      'pid',
      'import functools\nseen = []\n@functools.singledispatch\ndef f(x):\n    pass\nclass Own:\n    def __new__(cls):\n        return f\nr = Own()\ntry:\n    @r.register\n    def g(x: "seen.append(__import__(\'os\').getpid())"):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
    'singledispatch of a text, by a class that is decorated': [
      'CODE',
      'pid',
      'import functools\nseen = []\n@functools.singledispatch\nclass r:\n    pass\ntry:\n    @r.register\n    def g(x: "seen.append(__import__(\'os\').getpid())"):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
    'singledispatch of a text, by a metaclass that is a function': [
      'CODE',
      'pid',
      'import functools\nseen = []\n@functools.singledispatch\ndef f(x):\n    pass\ndef m(*parts):\n    return f\nclass r(metaclass=m):\n    pass\ntry:\n    @r.register\n    def g(x: "seen.append(__import__(\'os\').getpid())"):\n        pass\nexcept TypeError:\n    pass\nR = seen[0]',
    ],
  }),
];
