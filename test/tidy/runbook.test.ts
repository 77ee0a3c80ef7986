import { existsSync } from 'node:fs';
import test from 'ava';
import { stuckKinds } from '../../actors/services/stuck/kinds.ts';
import type { Drill } from '../chaos/drills/drill.ts';
import { everyDrill } from '../chaos/drills/every-drill.ts';
import { faultsOf, leftOutBy, names, readRunbook, sectionsOf } from '../chaos/drills/runbook.ts';
import { type NameRule, nameRules, unknownNames } from './known-names.ts';
import { sources } from './sources.ts';

const rules: readonly NameRule[] = [
  ...nameRules,
  ['file', /\]\(([^)]+)\)/g, (name) => existsSync(new URL(`../../${name}`, import.meta.url))],
];

test('every name that the runbook tells an operator to look for is one of the sources', (t) => {
  t.deepEqual(unknownNames(readRunbook(), rules), []);
});

test('a name of nothing is caught, whatever it is a name of', (t) => {
  const page = `paddock_nothing, \`GET /v1/admin/nothing\`, \`NO_SUCH_CODE\`, \`moon\` says, kind \`moon\`, it
logs \`the moon fell\`, npm run moon, node moon.ts, rt.moon, \`npx paddock moon\` and [a page](moon.md)`;

  t.is(unknownNames(page, rules).length, rules.length);
});

test('every drill belongs to one section of the runbook', (t) => {
  const told = sectionsOf(readRunbook()).flatMap(({ drills }) => drills);

  t.deepEqual(told.toSorted(), everyDrill.map(({ name }) => name).toSorted());
});

/** What `GET /v1/admin/stuck` says, up to what it fills in: the phrases in the SQL of its kinds. */
function whysOf(text: string): readonly string[] {
  return [...text.matchAll(/'([a-z ]+)'/g)]
    .map(([, phrase = '']) => phrase.trim())
    .filter((phrase) => phrase.includes(' '));
}

test('whatever the list of what is stuck says, the runbook says what to do about it', (t) => {
  const whys = sources('ts')
    .filter(({ path }) => /^actors\/services\/stuck\/(?!find-stuck)/.test(path))
    .flatMap(({ lines }) => lines.flatMap(whysOf));
  const about = sectionsOf(readRunbook()).filter(({ title }) => title.startsWith('A record '));

  t.true(whys.length > 25);
  t.deepEqual(
    whys.filter((why) => !about.some((section) => names(section, why))),
    [],
  );
  t.deepEqual(whysOf("then 'its version is ' || x, interval '1 minute', 'OPEN', 'a: ' || y"), [
    'its version is',
  ]);
});

test('the section of an alarm names each kind of stuck record that the alarm is about', (t) => {
  const sections = sectionsOf(readRunbook());
  const unnamed = stuckKinds.filter(
    ({ kind }) => !sections.some((each) => names(each, `\`${kind}\``)),
  );

  t.deepEqual(unnamed, []);
});

type Tried = Pick<Drill, 'faults' | 'name'>;

/** Faults of the page that neither a drill makes nor a row gives a reason for, and what is of no fault. */
function untried(page: string, drills: readonly Tried[]): readonly string[] {
  const reasons = leftOutBy(page).filter(({ reason }) => reason !== '');
  const sections = sectionsOf(page).map((section) => ({ ...section, faults: faultsOf(section) }));
  const lacking = sections.flatMap(({ title, drills: own, faults }) => {
    const made = drills.filter(({ name }) => own.includes(name)).flatMap(madeBy(faults));
    const excused = reasons.filter((row) => row.title === title).map(({ fault }) => fault);
    return [
      ...faults.filter((fault) => !made.includes(fault) && !excused.includes(fault)),
      ...faults.filter((fault) => made.includes(fault) && excused.includes(fault)),
      ...[...made, ...excused].filter((fault) => !faults.includes(fault)),
    ].map((fault) => `${title}: ${fault}`);
  });
  const homeless = reasons.filter((row) => sections.every(({ title }) => title !== row.title));
  return [...lacking, ...homeless.map(({ title }) => `no section ${title}`)];
}

/** A drill of a section with one fault makes that one; among several it has to say which. */
function madeBy(faults: readonly string[]): (drill: Tried) => readonly string[] {
  return ({ faults: own }) => own ?? (faults.length === 1 ? faults : []);
}

test('every fault of the runbook has a drill, or a reason why it cannot be tried', (t) => {
  t.deepEqual(untried(readRunbook(), everyDrill), []);
});

const section = (title: string, only: string) => `### ${title}\n\n- **Drill**: ${only}\n\n`;
const row = (what: string, why: string) => `## Left out\n\n| ${what} | ${why} |\n`;

test('a section without a drill is caught, unless a reason is given', (t) => {
  const moon = section('The moon is down', 'none');
  t.deepEqual(untried(moon, []), ['The moon is down: The moon is down']);
  t.deepEqual(untried(moon + row('The moon is down: **The moon is down**', 'far'), []), []);
  t.is(untried(moon + row('The moon is down: **The moon is down**', ''), []).length, 1);
});

test('of several faults of a section each is looked for', (t) => {
  const moon = section('The moon is down, or it is blue', '--only moon');
  const blue = row('The moon is down, or it is blue: **it is blue**', 'rare');
  const down = { name: 'moon', faults: ['The moon is down'] };
  t.is(untried(moon, [{ name: 'moon' }]).length, 2);
  t.deepEqual(untried(moon, [down]), ['The moon is down, or it is blue: it is blue']);
  t.deepEqual(untried(moon + blue, [down]), []);
});

test('a drill or a reason for a fault that no section has is caught', (t) => {
  const moon = section('The moon is down', '--only moon');
  t.deepEqual(untried(moon, [{ name: 'moon' }]), []);
  t.is(untried(moon, [{ name: 'moon', faults: ['The moon is blue'] }]).length, 2);
  t.deepEqual(untried(moon + row('The sun is down: **The sun**', 'far'), [{ name: 'moon' }]), [
    'no section The sun is down',
  ]);
  // What is tried needs no reason why it is not.
  const both = moon + row('The moon is down: **The moon is down**', 'far');
  t.is(untried(both, [{ name: 'moon' }]).length, 1);
});

test('the drills that the page calls passed are all that there are', (t) => {
  const [, list = ''] = /^Drills tried by [^:]*:(.*)\.$/ms.exec(readRunbook()) ?? [];
  const passed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);

  t.deepEqual(passed.toSorted(), everyDrill.map(({ name }) => name).toSorted());
});

test('every section says what is seen or done, what must not be done, and when it is over', (t) => {
  const sections = sectionsOf(readRunbook());
  const parts = ['**Do**', '**Do not**', '**Over**', '**See**', '**Means**'];
  const lacking = sections
    .filter(({ text }) => parts.filter((part) => text.includes(part)).length < 4)
    .map(({ title }) => title);

  t.true(sections.length > 0);
  t.deepEqual(lacking, []);
});
