import test from 'ava';
import { analyseFile } from '../../../infra/python/analyse-file.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { countTokens, refuseTooManyTokens } from '../../../infra/python/token-count.ts';
import { composedAgents, writtenAgents } from './honest/agents.ts';

const ruff = loadRuff();
const counted = (text: string) => countTokens(Buffer.from(text));

const texts: Readonly<Record<string, [string, number]>> = {
  'names, numbers and signs': ['price = offers[0]\n', 7],
  'a comment is one, however it looks': ['# ---- (a, b) ----\nx\n', 4],
  'a text is one, its quotes and signs included': [`x = "it's (a, b) # no comment"\n`, 4],
  'an escaped quote does not end a text': ['x = "a\\"(((("\n', 4],
  'a text in three quotes ends with them': ['"""a "b" (c)\nd"""\nx\n', 4],
  'a text that is not closed ends with its line': ['"a (b\n((\n', 4],
  'prefixes but f are no code': ['x = rb"{{{{"\n', 5],
  'what an f-string holds is counted': ['x = f"{a}{b}"\n', 12],
  'an f-string in three quotes too': ["rF'''{a}\n{b}'''", 14],
  'letters beyond ASCII are one word': ['größe = 名前\n', 4],
};
for (const [name, [text, tokens]] of Object.entries(texts)) {
  test(`tokens are told from bytes: ${name}`, (t) => {
    t.is(counted(text), tokens);
  });
}

test('of an honest agent about as many are counted as ruff finds, and far too few to refuse', (t) => {
  const agents = [...writtenAgents(), ...composedAgents(20)];

  for (const { name, file } of agents) {
    const ratio = countTokens(file) / ruff.tokens(Buffer.from(file).toString()).length;
    t.true(ratio > 0.85 && ratio < 1.25, `${name}: ${ratio}`);
    // A file twice as dense as the densest, or of twice the largest one's tokens.
    t.notThrows(() => refuseTooManyTokens(Buffer.alloc(file.length * 2, file)), name);
  }
});

test('a file of too many tokens is refused with a reason that helps, before ruff is asked', (t) => {
  const unasked = { ...ruff, tokens: () => t.fail('ruff was asked') as never };
  const file = Buffer.from(`x=1${'+1'.repeat(300_000)}\n`);

  const verdict = analyseFile(file, unasked, { agentPackages: [], entryPoint: undefined });

  t.is(verdict.kind, 'invalid');
  t.regex(
    'detail' in verdict ? verdict.detail : '',
    /^InvalidFileError: the file is too complex to analyse: it has more than 360,000 names, numbers and signs; write /,
  );
});
