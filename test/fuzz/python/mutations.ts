import type { Dice } from '../dice.ts';

const snippets = [
  ...['(', ')', '[', ']', '{', '}', ':', '=', '==', ':=', '->', '!', '?', '$', '`', '\\', '\\\n'],
  ...['"', "'", '"""', "'''", 'f"', 'rb"', '{x!r:>{w}}', '#', ' ', '\t', '\n', '\r', '\r\n', '\f'],
  ...[
    '\0',
    '\v',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\x1a',
    '\x7f',
    'ﬁ',
    'ª',
    '𝐱',
    '·',
    '٣',
  ],
  ...[
    '0',
    '01',
    '1_',
    '1__0',
    '0x',
    '1e',
    '1.',
    '1j',
    '9'.repeat(4301),
    '0xfor x in y',
    '1if 2else 3',
  ],
  ...[
    'lambda',
    'yield',
    'await',
    'async ',
    'nonlocal x',
    'global a',
    'return',
    'print 1',
    'exec "1"',
  ],
  ...[
    'import *',
    'from a import *',
    'from __future__ import annotations\n',
    'except*',
    'except:',
    'match ',
  ],
  ...[
    '# coding: latin-1\n',
    '#coding=utf8\n',
    '# -*- coding: utf-8 -*-\n',
    '# vim: fileencoding=utf-7\n',
  ],
  ...[
    '*',
    '**',
    '*a',
    '**b',
    ',',
    ';',
    'in',
    'not',
    'is',
    '<>',
    'None = 1',
    '__debug__',
    'case _:',
    'type X = 1',
  ],
  ...[
    '\ud800',
    '\\N{NO SUCH}',
    '\\x1',
    '\\u12',
    '\\N{',
    '{',
    '}}',
    '        ',
    'def f(a, a): pass\n',
  ],
];

/** One to four cuts, copies, swaps and insertions, sometimes of single bytes. */
export function mutated(file: Uint8Array, dice: Dice): Uint8Array {
  let bytes: Buffer = Buffer.from(file);
  for (let left = dice.whole(1, 4); left > 0; left -= 1) bytes = mutation(bytes, dice);
  return bytes;
}

function mutation(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.whole(0, bytes.length);
  const end = Math.min(bytes.length, at + dice.whole(1, dice.chance(0.2) ? 60 : 6));
  const [before, cut, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ];
  const put = Buffer.from(dice.pick(snippets) ?? '');
  return dice.pick([
    () => Buffer.concat([before, after]),
    () => Buffer.concat([before, put, cut, after]),
    () => Buffer.concat([before, put, after]),
    () => Buffer.concat([before, cut, cut, after]),
    () => Buffer.concat([put, bytes]),
    () => Buffer.concat([before, Buffer.of(dice.whole(0, 255)), after]),
    () => Buffer.concat([after, cut, before]),
  ])();
}

/** The words of a program in another order: mostly nonsense, made of what parsers know. */
export function shuffled(program: string, dice: Dice): Uint8Array {
  const words = program.match(/\w+|\s+|[^\w\s]/g) ?? [];
  for (let swaps = dice.whole(1, 6); swaps > 0; swaps -= 1) {
    const [one, other] = [dice.whole(0, words.length - 1), dice.whole(0, words.length - 1)];
    [words[one], words[other]] = [words[other] ?? '', words[one] ?? ''];
  }
  return Buffer.from(words.join(''));
}

export function randomBytes(dice: Dice): Uint8Array {
  const top = dice.pick([255, 127, 127]);
  return Uint8Array.from({ length: dice.whole(0, 40) }, () => dice.whole(0, top));
}
