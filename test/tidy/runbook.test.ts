import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { stuckKinds } from '../../actors/services/stuck/kinds.ts';
import { probeNames } from '../../apps/edge/readiness.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { knownKeys } from '../../infra/config/config.ts';
import { counters, gauges, histograms } from '../../infra/ports/metrics.ts';
import { faultCodes } from '../../machines/fault.ts';
import { raceStatuses } from '../../machines/race/decide.ts';
import { everyDrill } from '../chaos/drills/every-drill.ts';
import { readRunbook, sectionsOf } from '../chaos/drills/runbook.ts';
import { sources } from './sources.ts';

const underscored = (name: string) => name.replaceAll('.', '_');

const metrics = new Set([
  ...Object.keys(counters).map((name) => `${underscored(name)}_total`),
  ...Object.keys({ ...gauges, ...histograms }).map(underscored),
]);
const routes = new Set(endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
const words = new Set<string>([...faultCodes, ...knownKeys, ...Object.values(raceStatuses)]);
const kinds = new Set(stuckKinds.map(({ kind }) => kind));
const probes = new Set<string>(probeNames);
const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: Readonly<Record<string, string>> };
const code = sources('ts')
  .filter(({ path }) => /^(apps|actors|infra)\//.test(path))
  .map(({ lines }) => lines.join('\n'))
  .join('\n');
const tables = sources('up.sql')
  .map(({ lines }) => lines.join('\n'))
  .join('\n');

/** Each kind of name that a page may use, how it is written there, and whether there is such a one. */
const rules: readonly (readonly [string, RegExp, (name: string) => boolean])[] = [
  ['metric', /\b(paddock_[a-z_]+)/g, (name) => metrics.has(name)],
  ['route', /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g, (name) => routes.has(name)],
  ['fault, setting or status', /`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g, (name) => words.has(name)],
  ['probe', /`([a-z_]+)` (?:failed|says)/g, (name) => probes.has(name)],
  ['kind of what is stuck', /kind `([a-z-]+)`/g, (name) => kinds.has(name)],
  ['log line', /\blog(?:s|ged) `([^`]+)`/g, (name) => code.includes(name)],
  ['script', /npm run ([a-z:]+)/g, (name) => Object.hasOwn(scripts, name)],
  ['table', /\brt\.([a-z_]+)/g, (name) => tables.includes(`create table rt.${name}`)],
  ['file', /\]\(([^)]+)\)/g, (name) => existsSync(new URL(`../../${name}`, import.meta.url))],
];

/** The page wraps its lines, and a name may stand across two of them. */
function unknownNames(page: string): string[] {
  const text = page.replaceAll(/\s+/g, ' ');
  return rules.flatMap(([what, written, isKnown]) =>
    [...text.matchAll(written)]
      .map(([, name = '']) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${what} ${name}`),
  );
}

test('every name that the runbook tells an operator to look for is one of the sources', (t) => {
  t.deepEqual(unknownNames(readRunbook()), []);
});

test('a name of nothing is caught, whatever it is a name of', (t) => {
  const page = `paddock_nothing, \`GET /v1/admin/nothing\`, \`NO_SUCH_CODE\`, \`moon\` says, kind \`moon\`, it
logs \`the moon fell\`, npm run moon, rt.moon and [a page](moon.md)`;

  t.is(unknownNames(page).length, rules.length);
});

test('every drill belongs to one section of the runbook', (t) => {
  const told = sectionsOf(readRunbook()).flatMap(({ drills }) => drills);

  t.deepEqual(told.toSorted(), everyDrill.map(({ name }) => name).toSorted());
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
