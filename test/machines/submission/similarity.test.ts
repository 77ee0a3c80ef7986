import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import type { Fingerprints } from '../../../machines/submission/fingerprints.ts';
import { similarVersions } from '../../../machines/submission/similar-versions.ts';
import { type EarlierVersion, standingsOf } from '../../../machines/submission/similarity.ts';
import { reportOn, type SimilarityReport } from '../../../machines/submission/similarity-report.ts';
import { writtenAgents } from '../../infra/python/honest/agents.ts';
import { denseCode } from '../../support/dense-code.ts';
import { fingerprinted } from '../../support/fingerprinted.ts';
import { disguised, program, textOf } from '../../support/python-programs.ts';
import { withPass, withSemicolons } from '../../support/statement-disguises.ts';

/** Files in the order of their submission; each is compared with all before it. */
interface Submitted {
  readonly id: string;
  readonly author: string;
  readonly text: string;
}

interface Known extends EarlierVersion, Submitted {
  readonly fingerprints: Fingerprints;
}

/** Of each file, with the verdicts that came before it, compared with what is worth it. */
function reportsOf(files: readonly Submitted[]): readonly SimilarityReport[] {
  const known: Known[] = [];
  const firstWith = new Map<number, number[]>();
  return files.map((file, rank) => {
    const fingerprints = fingerprinted(file.text);
    const sources = known.map((each) => ({
      ...each,
      isOwn: each.author === file.author,
      isSameFile: each.text === file.text,
    }));
    const holders = new Map(
      fingerprints.hashes.map((hash) => [hash, [...(firstWith.get(hash) ?? [])]]),
    );
    const precedents = { holders, versions: new Map(sources.entries()) };
    const numbers = similarVersions(precedents, standingsOf(precedents), fingerprints.modulus);
    const chosen = sources.filter((_, number) => numbers.includes(number));
    const report = reportOn(fingerprints, precedents, chosen);
    const { modulus, hashes } = fingerprints;
    const size = { modulus, hashCount: hashes.length };
    known.push({ ...file, fingerprints, ...size, rank, isOwn: false, verdict: report.verdict });
    for (const hash of fingerprints.hashes) {
      firstWith.set(hash, [...(firstWith.get(hash) ?? []), rank]);
    }
    return report;
  });
}

function lastReport(files: readonly Submitted[]): SimilarityReport {
  const report = reportsOf(files).at(-1);
  if (report === undefined) throw new Error('no file');
  return report;
}

const verdictOf = (...texts: readonly string[]) =>
  lastReport(texts.map((text, index) => ({ id: `${index}`, author: `a${index}`, text }))).verdict;

const runs = { numRuns: 6, endOnFailure: true };
const four = program(4);

test('a renamed, commented, annotated and laid out copy is a copy', (t) => {
  const property = fc.property(four, (original) => {
    t.is(verdictOf(textOf(original), disguised(textOf(original))), 'copy');
  });
  t.notThrows(() => fc.assert(property, runs));
});

test('functions in another order are a copy', (t) => {
  const property = fc.property(four, (original) => {
    const turned = { functions: original.functions.toReversed() };
    t.is(verdictOf(textOf(original), textOf(turned)), 'copy');
  });
  t.notThrows(() => fc.assert(property, runs));
});

test('a file of which half is another’s is suspicious', (t) => {
  const property = fc.property(program(6), program(6), (original, own) => {
    const half = {
      functions: [...own.functions.slice(0, 3), ...original.functions.slice(0, 3)],
    };
    t.is(verdictOf(textOf(original), disguised(textOf(half))), 'suspicious');
  });
  t.notThrows(() => fc.assert(property, runs));
});

test('a whole file inside a larger one is a copy', (t) => {
  const property = fc.property(four, program(14), (original, own) => {
    const stuffed = { functions: [...own.functions, ...original.functions] };
    const report = lastReport([
      { id: 'first', author: 'a', text: textOf(original) },
      { id: 'second', author: 'b', text: disguised(textOf(stuffed)) },
    ]);
    t.is(report.verdict, 'copy');
    t.deepEqual(report.reasons, ['EARLIER_IS_INSIDE']);
  });
  t.notThrows(() => fc.assert(property, { ...runs, numRuns: 3 }));
});

const parts = (of: string, count: number) =>
  Array.from({ length: count }, (_, part) => denseCode(2_000, `${of}_${part}`));

/** A file of which a third of each of larger ones of others is a part, and all of a small one. */
function behindDecoys(decoyCount: number, before: readonly Submitted[] = []) {
  const [victim = ''] = fc.sample(four, { numRuns: 1, seed: 3 }).map(textOf);
  const decoys = Array.from({ length: decoyCount }, (_, index) => parts(`decoy_${index}`, 9));
  const stuffed = [victim, ...decoys.flatMap((each) => each.slice(0, 3)), ...parts('own', 3)];
  return lastReport([
    { id: 'victim', author: 'victim', text: victim },
    ...before,
    ...decoys.map((each, index) => ({
      ...{ id: `decoy ${index}`, author: `decoy ${index}` },
      text: each.join('\n'),
    })),
    { id: 'thief', author: 'thief', text: stuffed.join('\n') },
  ]);
}

test('other authors of whom more is in a file do not hide the one who is inside', (t) => {
  for (const decoyCount of [2, 3, 8]) {
    const { verdict, reasons, matches } = behindDecoys(decoyCount);
    t.deepEqual([verdict, reasons], ['copy', ['EARLIER_IS_INSIDE']]);
    t.deepEqual([matches[0]?.id, matches.length], ['victim', 3]);
  }
});

test('nor does a later version of the same author of which more is in it', (t) => {
  const first = parts('first', 3).join('\n');
  const second = [first, ...parts('later', 12)];
  const { verdict, matches } = lastReport([
    { id: 'first', author: 'victim', text: first },
    { id: 'second', author: 'victim', text: second.join('\n') },
    { id: 'thief', author: 'thief', text: [...second.slice(0, 2), ...parts('own', 24)].join('\n') },
  ]);
  t.deepEqual([verdict, matches[0]?.id], ['copy', 'first']);
});

test('nor do those whose whole file was the miner’s own before', (t) => {
  const small = Array.from({ length: 8 }, (_, index) => parts(`decoy_${index}`, 3).join('\n'));
  const { verdict, matches } = behindDecoys(8, [
    { id: 'own', author: 'thief', text: small.join('\n') },
    ...small.map((text, index) => ({ id: `later ${index}`, author: `later ${index}`, text })),
  ]);
  t.deepEqual([verdict, matches[0]?.id], ['copy', 'victim']);
});

/** Nearly as many tokens as a file may have: one fingerprint of sixteen is kept. */
const padding = denseCode(335_000, 'pad');

test('a whole file inside one of 380 kB is a copy', (t) => {
  const property = fc.property(program(8), (original) => {
    const padded = `${disguised(textOf(original))}\n${padding}`;
    t.deepEqual([padded.length > 380_000, fingerprinted(padded).modulus], [true, 16]);
    const report = lastReport([
      { id: 'first', author: 'a', text: textOf(original) },
      { id: 'second', author: 'b', text: padded },
    ]);
    t.is(report.verdict, 'copy');
    t.deepEqual(report.reasons, ['EARLIER_IS_INSIDE']);
  });
  t.notThrows(() => fc.assert(property, { ...runs, numRuns: 2 }));
});

test('a short file of which few samples are left is suspicious where all of them are inside', (t) => {
  for (const { name, file } of writtenAgents()) {
    const text = Buffer.from(file).toString();
    const { hashes } = fingerprinted(text);
    const samples = hashes.filter((hash) => hash % 16 === 0).length;
    if (hashes.length < 60 || samples < 3) continue;
    t.is(verdictOf(text, `${text}\n${padding}`), samples < 15 ? 'suspicious' : 'copy', name);
  }
});

test('honest agents are clean beside 380 kB that others wrote', (t) => {
  const texts = writtenAgents().map(({ file }) => Buffer.from(file).toString());
  const [some, rest] = [0, 1].map((half) => texts.filter((_, index) => index % 2 === half));
  if (some === undefined || rest === undefined) throw new Error('two halves were asked for');
  const large = [...some, padding].join('\n');
  t.is(fingerprinted(large).modulus, 16);
  t.deepEqual([verdictOf(...rest, large), verdictOf(large, ...rest)], ['clean', 'clean']);
});

test('programs by people who never met are clean', (t) => {
  const property = fc.property(four, four, four, (one, two, three) => {
    t.is(verdictOf(textOf(one), textOf(two), textOf(three)), 'clean');
  });
  t.notThrows(() => fc.assert(property, runs));
});

test('honest agents of many hands are clean, each beside all others', (t) => {
  const agents = writtenAgents();
  const files = agents.map(({ name, file }) => ({
    ...{ id: name, author: name },
    text: Buffer.from(file).toString(),
  }));

  const stained = reportsOf(files).flatMap(({ verdict }, index) =>
    verdict === 'clean' ? [] : [`${files[index]?.id}: ${verdict}`],
  );

  t.true(agents.length > 20);
  t.deepEqual(stained, []);
});

for (const [what, disguise] of [
  ['a semicolon at the end of each line', withSemicolons],
  ['pass before each statement', withPass],
] as const) {
  test(`each honest agent with ${what} is a copy of itself`, (t) => {
    for (const { name, file } of writtenAgents()) {
      const text = Buffer.from(file).toString();
      const { hashes } = fingerprinted(text);
      t.deepEqual(fingerprinted(disguise(text)).hashes, hashes, name);
      // Two of them are too short to say anything.
      if (hashes.length > 5) t.is(verdictOf(text, disguise(text)), 'copy', name);
    }
  });
}

test('a copy of which every twelfth line was written anew is not clean', (t) => {
  const property = fc.property(four, (original) => {
    const lines = disguised(textOf(original)).split('\n');
    const edited = lines.map((line, index) =>
      index % 12 === 7 && /^ {4}\w+ (?:\+)?= /.test(line) ? '    changed = {1: not changed}' : line,
    );
    t.not(verdictOf(textOf(original), edited.join('\n')), 'clean');
  });
  t.notThrows(() => fc.assert(property, runs));
});

const [one, two, three, shared] = fc.sample(four, { numRuns: 4, seed: 7 }).map(textOf);
if (!(one && two && three && shared)) throw new Error('four were asked for');

test('the first one is clean, whoever copies it', (t) => {
  t.is(verdictOf(one), 'clean');
  t.is(verdictOf(two, one), 'clean');
  t.deepEqual(lastReport([{ id: 'first', author: 'a', text: one }]).matches, []);
});

test('a miner’s own earlier file is named and says nothing against it', (t) => {
  const report = lastReport([
    { id: 'first', author: 'a', text: one },
    { id: 'second', author: 'a', text: disguised(one) },
  ]);

  t.is(report.verdict, 'clean');
  t.deepEqual(
    report.matches.map(({ id, isOwn, verdict }) => ({ id, isOwn, verdict })),
    [{ id: 'first', isOwn: true, verdict: 'clean' }],
  );
});

test('whoever was copied goes on without a stain', (t) => {
  const report = lastReport([
    { id: 'first', author: 'victim', text: one },
    { id: 'second', author: 'thief', text: disguised(one) },
    { id: 'third', author: 'victim', text: `${one}\n${two.slice(0, two.indexOf('def step_1'))}` },
  ]);

  t.is(report.verdict, 'clean');
  t.true(report.matches.every(({ isOwn }) => isOwn));
});

test('the thief’s next version is a copy of the first one’s still', (t) => {
  const report = lastReport([
    { id: 'first', author: 'victim', text: one },
    { id: 'second', author: 'thief', text: disguised(one) },
    { id: 'third', author: 'thief', text: one },
  ]);

  t.is(report.verdict, 'copy');
  t.deepEqual(report.reasons, [
    'SAME_FILE',
    'MOST_IS_IN_EARLIER',
    'EARLIER_IS_INSIDE',
    'NOTHING_OF_ITS_OWN',
  ]);
  t.deepEqual(
    report.matches.map(({ id, isOwn }) => [id, isOwn]),
    [
      ['first', false],
      ['second', true],
    ],
  );
});

test('of two earlier ones that are alike the first is named first', (t) => {
  const report = lastReport([
    { id: 'first', author: 'a', text: one },
    { id: 'second', author: 'b', text: disguised(one) },
    { id: 'third', author: 'c', text: disguised(one) },
  ]);

  t.deepEqual(
    report.matches.map(({ id }) => id),
    ['first', 'second'],
  );
});

test('what six authors begin with weighs nothing', (t) => {
  const own = fc.sample(program(6), { numRuns: 7, seed: 11 }).map(textOf);
  const files = own.map((text, index) => ({
    ...{ id: `${index}`, author: `a${index}` },
    text: `${shared}\n${text.replaceAll('step_', `part_${index}_`)}`,
  }));

  const reports = reportsOf(files);

  const verdicts = reports.map(({ verdict }) => verdict);
  t.deepEqual(verdicts.slice(0, 2), ['clean', 'suspicious']);
  t.deepEqual(verdicts.slice(5), ['clean', 'clean']);
  t.true((reports.at(-1)?.commonShare.part ?? 0) > 0);
});

const example = readFileSync(
  new URL('../../../apps/world/demo/agents/careful_shopper.py', import.meta.url),
  'utf8',
);

test('the published example is nobody’s, whoever submits it first', (t) => {
  const own = fc.sample(program(6), { numRuns: 12, seed: 13 }).map(textOf);
  const files = [example, ...own.map((text) => `${example}\n${text}`), disguised(example)];

  const reports = reportsOf(
    files.map((text, index) => ({ id: `${index}`, author: `a${index}`, text })),
  );

  const verdicts = reports.map(({ verdict }) => verdict);
  t.deepEqual(
    verdicts,
    files.map(() => 'clean'),
  );
});

test('what is built on the published example is copied as any other', (t) => {
  const report = lastReport([
    { id: 'first', author: 'victim', text: `${example}\n${one}` },
    { id: 'second', author: 'thief', text: disguised(`${one}\n${example}`) },
  ]);

  t.is(report.verdict, 'copy');
});

test('copies of one file never make it common', (t) => {
  const files = Array.from({ length: 9 }, (_, index) => ({
    ...{ id: `${index}`, author: `a${index}`, text: index === 0 ? one : disguised(one) },
  }));

  const report = lastReport(files);

  t.is(report.verdict, 'copy');
  t.is(report.commonShare.part, 0);
});

test('two short files say nothing unless they are one', (t) => {
  const short = 'def agent(task):\n    return {"order": task["goal_text"]}\n';

  t.is(verdictOf(short, short.replace('agent', 'act')), 'clean');
  t.is(verdictOf(short, short), 'copy');
});

test('matched passages are told by their lines in both files', (t) => {
  const [, second = ''] = one.split(/(?=def step_1\()/);
  const report = lastReport([
    { id: 'first', author: 'a', text: second },
    { id: 'second', author: 'b', text: `${two}\n${second}` },
  ]);

  const [longest] = report.matches[0]?.lines ?? [];
  if (longest === undefined) return t.fail('no passage');
  const before = two.split('\n').length;
  const { firstLine, lastLine, sourceFirstLine, sourceLastLine } = longest;
  t.deepEqual([sourceFirstLine, firstLine], [1, before + 1]);
  t.is(lastLine - sourceLastLine, before);
  // No window ends in the last tokens, so a line may be missing.
  const missing = second.trimEnd().split('\n').length - sourceLastLine;
  t.true(missing >= 0 && missing <= 2);
});
