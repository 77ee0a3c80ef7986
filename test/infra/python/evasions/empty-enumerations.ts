/** Enumerations that look as if they had a member; without one they make classes when called. */
import { type Evasion, evasionsOf } from './evasion.ts';

const made = (before: string, value: string) =>
  [
    'CODE',
    'made',
    `from enum import Enum\n${before}\nclass E(Enum):\n    A = ${value}\nR = E("N", {"x": 1})`,
  ] as const;

export const emptyEnumerations: readonly Evasion[] = evasionsOf('an enumeration of no members', {
  'an object that answers to __get__': made(
    'class D:\n    def __init__(self, x): pass\n    def __get__(self, *a): return 1',
    'D(1)',
  ),
  'an object that answers to everything': made(
    'class D:\n    def __init__(self, x): self.x = x\n    def __getattr__(self, n): return 1',
    'D(1)',
  ),
  'an object of a class with a base': made('class D(property): pass', 'D(int)'),
  'an object of a class with a base of the file': made(
    'class C(property): pass\nclass D(C): pass',
    'D(int)',
  ),
  'what __new__ gives': made('class D:\n    def __new__(cls, x): return lambda self: x', 'D(1)'),
  'what __call__ of a metaclass gives': made(
    'class M(type):\n    def __call__(cls, x): return property(x)\nclass D(metaclass=M): pass',
    'D(int)',
  ),
  'what a decorator of the library makes of a class': made(
    'import functools\n@functools.partial(functools.partial, property)\nclass D: pass',
    'D(int)',
  ),
  'what a decorator of the file makes of a class': made(
    'def f(c): return property\n@f\nclass D: pass',
    'D(int)',
  ),
  'a class that is no class of the file after all': made(
    'if 0:\n    class property: pass',
    'property(int)',
  ),
  'a builtin with another binding': made('int = property', 'int(str)'),
  'a class of the library with another binding': made(
    'from decimal import Decimal\nDecimal = property',
    'Decimal(int)',
  ),
  'a level of something else': made(
    'class L: pass\nl = L()\nl.DEBUG = property(int)\nlogging = l\nif 0:\n    import logging',
    'logging.DEBUG',
  ),
  'a type and a property': made('x = 1', 'property(int)\n    B: int'),
  'a property with a type': made('x = 1', 'property(int)\n    B: int = property(str)'),
});
