import { readFileSync } from 'node:fs';
import { stuckKinds } from '../../actors/services/stuck/kinds.ts';
import { commonOptions } from '../../apps/cli/command.ts';
import { commands } from '../../apps/cli/commands.ts';
import { probeNames } from '../../apps/edge/readiness.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { validatorKeys } from '../../apps/validator/validator-settings.ts';
import { knownKeys } from '../../infra/config/config.ts';
import { counters, gauges, histograms } from '../../infra/ports/metrics.ts';
import { faultCodes } from '../../machines/fault.ts';
import { raceStatuses } from '../../machines/race/decide.ts';
import { sources } from './sources.ts';

/** A kind of name that a page may use, how it is written there, and whether there is such a one. */
export type NameRule = readonly [string, RegExp, (name: string) => boolean];

const underscored = (name: string) => name.replaceAll('.', '_');

const metrics = new Set([
  ...Object.keys(counters).map((name) => `${underscored(name)}_total`),
  ...Object.keys({ ...gauges, ...histograms }).map(underscored),
]);
const routes = new Set(endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
const words = new Set<string>([
  ...faultCodes,
  ...knownKeys,
  ...validatorKeys,
  ...Object.values(raceStatuses),
]);
const kinds = new Set(stuckKinds.map(({ kind }) => kind));
const probes = new Set<string>(probeNames);
const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: Readonly<Record<string, string>> };
const code = sources('ts')
  .filter(({ path }) => /^(apps|actors|infra|machines)\//.test(path))
  .map(({ lines }) => lines.join('\n'))
  .join('\n');
const testCode = sources('ts')
  .filter(({ path }) => path.startsWith('test/'))
  .map(({ lines }) => lines.join('\n'))
  .join('\n');
const tables = sources('up.sql')
  .map(({ lines }) => lines.join('\n'))
  .join('\n');

export const nameRules: readonly NameRule[] = [
  ['metric or login', /\b(paddock_[a-z_]+)/g, (name) => metrics.has(name) || isRole(name)],
  ['route', /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g, (name) => routes.has(name)],
  [
    'fault, setting or status',
    /`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g,
    // A variable that one program alone heeds, or a reason, stands in its source and nowhere else.
    (name) =>
      words.has(name) ||
      code.includes(`'${name}'`) ||
      code.includes(`${name}?: string`) ||
      testCode.includes(`process.env['${name}']`),
  ],
  ['probe', /`([a-z_]+)` (?:failed|says)/g, (name) => probes.has(name)],
  ['kind of what is stuck', /kind `([a-z-]+)`/g, (name) => kinds.has(name)],
  ['log line', /\blog(?:s|ged) `([^`]+)`/g, (name) => code.includes(name)],
  ['script', /npm run ([a-z:-]+)/g, (name) => Object.hasOwn(scripts, name)],
  // Of the system, which may be too old for it; with-node.mjs finds the one that is new enough.
  [
    'TypeScript that the Node of the system is to run:',
    /\bnode (?:-\S+ )*([^\s`-]\S*\.ts)\b/g,
    () => false,
  ],
  ['table or function', /\brt\.([a-z_]+)/g, isInRuntime],
  ['command', /`npx paddock ([^`]+)`/g, isCommand],
];

/** What schema `rt` holds, of which the pages tell. */
function isInRuntime(name: string): boolean {
  const made = ['create table rt.', 'create unlogged table rt.'].map((start) => start + name);
  return [...made, `function rt.${name}(`].some((text) => tables.includes(text));
}

/** Of the database: migrations make them one by one, or from a list. */
function isRole(name: string): boolean {
  return [`create role ${name} `, `'${name}'`].some((made) => tables.includes(made));
}

/** The command of a line, and each of its options. */
function isCommand(line: string): boolean {
  const options = [...line.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name);
  const typed = line.split(' -')[0] ?? '';
  if (typed === 'operator' || typed.startsWith('--')) return true;
  const command = commands
    .filter(({ name }) => `${typed} `.startsWith(`${name} `))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  const known = Object.keys({ ...commonOptions, ...command?.options });
  return command !== undefined && options.every((name) => known.includes(name));
}

/** The page wraps its lines, and a name may stand across two of them. */
export function unknownNames(page: string, rules: readonly NameRule[]): string[] {
  const text = page.replaceAll(/\s+/g, ' ');
  return rules.flatMap(([what, written, isKnown]) =>
    [...text.matchAll(written)]
      .map(([, name = '']) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${what} ${name}`),
  );
}
