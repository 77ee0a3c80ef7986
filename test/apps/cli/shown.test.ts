import test from 'ava';
import { findingLines, linesOfFile } from '../../../apps/cli/show/finding-lines.ts';
import { durationText, fromNow } from '../../../apps/cli/show/moments.ts';
import { plainText } from '../../../apps/cli/show/plain-text.ts';
import { screen } from '../../../apps/cli/show/screen.ts';
import { valueLines } from '../../../apps/cli/show/value-lines.ts';

function written(isLive = false, columns = 80) {
  const texts: string[] = [];
  const stream = { write: (text: string) => texts.push(text) };
  const to = screen({ stream, isLive, isStyled: false, columns: () => columns, rows: () => 4 });
  return { to, text: () => texts.join('') };
}

const finding = {
  ...{ rule: 'dunder-access', category: 'INTROSPECTION', severity: 'error' as const },
  ...{ message: 'Say it otherwise.', line: 2, column: 1, snippet: '' },
};

function shown(line: string, column: number): string {
  const file = { name: 'agent.py', lines: ['', line] };
  return findingLines(file, { ...finding, column }, written().to).join('\n');
}

test('a finding is pointed at as a compiler does it', (t) => {
  t.is(
    shown('    return x.__class__', 14),
    `error[dunder-access]: Say it otherwise. (INTROSPECTION)
 --> agent.py:2:14
  |
2 |     return x.__class__
  |              ^`,
  );
});

test('the line of a finding is shown, however lines end and whatever the file begins with', (t) => {
  for (const [code, line] of [
    ['import jsonx = 1\rx = eval("1")\n', 2],
    ['a = 1\r\nb = 2\rx = eval("1")\r\n', 3],
    ['\ufeffx = eval("1")\n', 1],
  ] as const) {
    const file = { name: 'agent.py', lines: linesOfFile(Buffer.from(code)) };
    const found = findingLines(file, { ...finding, line, column: 5 }, written().to);
    t.deepEqual(found.slice(-2), [`${line} | x = eval("1")`, '  |     ^'], code);
  }
});

for (const [what, line, column, seen, caret] of [
  ['a tab is four columns wide', '\tx.__class__', 4, '    x.__class__', '      ^'],
  ['an emoji is two columns wide', '"🐎".__class__', 5, '"🐎".__class__', '     ^'],
  ['a mark that moves the cursor is only a mark', 'a\u001b[2Kb', 3, 'a\ufffd[2Kb', '  ^'],
  ['behind the last letter', 'ab', 3, 'ab', '  ^'],
  [
    'a long line is shown around the place',
    `${'a'.repeat(200)}b${'c'.repeat(200)}`,
    201,
    `…${'a'.repeat(50)}b${'c'.repeat(49)}…`,
    `${' '.repeat(51)}^`,
  ],
] as const) {
  test(`the caret stands below its column: ${what}`, (t) => {
    const [, , , text, mark] = shown(line, column).split('\n');

    t.is(text, `2 | ${seen}`);
    t.is(mark, `  | ${caret}`);
  });
}

test('what others wrote cannot move the cursor or hide text', (t) => {
  t.is(plainText('a\u001b[31mb\u202ec\u0007\nd'), 'a\ufffd[31mb\ufffdc\ufffd\ufffdd');
});

test('times are said in two units at most', (t) => {
  const second = 1000;
  for (const [ms, text] of [
    [0, '0 s'],
    [59.6 * second, '1 min'],
    [61 * second, '1 min 1 s'],
    [3 * 3600 * second + 12 * 60 * second + 5 * second, '3 h 12 min'],
    [86_400 * second, '1 d'],
    [90_000 * second, '1 d 1 h'],
  ] as const) {
    t.is(durationText(ms), text);
  }
  const now = Date.parse('2026-11-23T12:00:00Z');
  t.is(fromNow('2026-11-23T12:05:00Z', now), 'in 5 min');
  t.is(fromNow('2026-11-23T11:00:00Z', now), '1 h ago');
});

test('any answer is names with values, and lists of objects are tables', (t) => {
  const value = {
    ...{ current_race: null, is_live: true, kinds: [] },
    members: [
      { member_id: 'a', part: 1 },
      { member_id: 'bcd', part: null },
    ],
  };

  t.deepEqual(valueLines(value, written().to), [
    'current race  –',
    'is live       yes',
    'kinds         none',
    '',
    'members',
    '  MEMBER ID  PART',
    '  a          1',
    '  bcd        –',
  ]);
});

test('a live screen draws over what it drew, and cuts what would wrap', (t) => {
  const { to, text } = written(true, 4);
  to.redraw(['one', 'two is long']);
  to.redraw(['1']);
  to.settle();
  to.redraw(['new']);

  const line = (content: string) => `\u001b[2K${content}\n`;
  const expected = [
    `\r${line('one')}${line('two ')}\u001b[0J`,
    `\u001b[2A\r${line('1')}\u001b[0J`,
    `\r${line('new')}\u001b[0J`,
  ];
  t.is(text(), expected.join(''));
});

test('a live screen draws no more than it has room for', (t) => {
  const { to, text } = written(true);
  to.redraw(['1', '2', '3', '4', '5']);

  const lines = ['1', '2', '… and 3 lines more'].map((line) => `\u001b[2K${line}\n`);
  t.is(text(), `\r${lines.join('')}\u001b[0J`);
});

test('a screen that nobody looks at gets plain lines', (t) => {
  const { to, text } = written(false, 4);
  to.redraw(['one', 'two is long']);

  t.is(text(), 'one\ntwo is long\n');
});
