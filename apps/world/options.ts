import { resolve } from 'node:path';
import { nearestKey } from '../../infra/config/nearest-key.ts';
import { exampleAgentCount } from './demo/demo-agents.ts';

export interface WorldOptions {
  /** Up and empty for people and programs, without simulated miners and validators. */
  readonly serve: boolean;
  readonly json: boolean;
  readonly readyFile: string | undefined;
  /** End when every submitted version has its verdict. */
  readonly once: boolean;
  /** Race days to play on a simulated clock, and end; undefined for the story on the real one. */
  readonly days: number | undefined;
  readonly port: number;
  readonly dataDir: string;
  readonly edges: number;
  readonly coordinators: number;
  readonly miners: number;
  readonly validators: number;
  /** Reference validators that really run the agents, in the place of simulated ones; 0: none. */
  readonly realValidators: number;
  readonly seed: number;
  /** A file of legacy problems to evaluate on, instead of the demo pack. */
  readonly suite: string | undefined;
  /** Keep the last traces for the operator's page. */
  readonly traces: boolean;
}

/** What is wrong with the command line, in one sentence that says what to do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

interface Flag {
  readonly takes?: 'count' | 'text' | 'port';
  readonly value?: string;
  readonly help: string;
}

const flags = {
  serve: { help: 'start empty, for people and programs; no simulated miners or validators' },
  json: { help: 'once ready, print one JSON line on standard output; logs go to standard error' },
  'ready-file': { takes: 'text', value: 'PATH', help: 'write that line to a file as well' },
  once: { help: 'end when every version has its verdict; exit code 0 if one became eligible' },
  days: {
    takes: 'count',
    value: 'N',
    help: 'play N whole race days on a simulated clock, and end',
  },
  port: {
    takes: 'port',
    value: 'N',
    help: 'of the first edge (default: PORT, else 8080; 0: free)',
  },
  'data-dir': {
    takes: 'text',
    value: 'PATH',
    help: 'where all data lives (default .paddock; of --days .paddock/days)',
  },
  edges: { takes: 'count', value: 'N', help: 'HTTP edges (default 1)' },
  coordinators: { takes: 'count', value: 'N', help: 'coordinators (default 1)' },
  miners: { takes: 'count', value: 'N', help: 'simulated miners (default 7)' },
  validators: { takes: 'count', value: 'N', help: 'simulated validators (default 4)' },
  'real-validators': {
    takes: 'count',
    value: 'N',
    help: 'reference validators that run three example agents in a sandbox, not simulated ones',
  },
  seed: { takes: 'count', value: 'N', help: 'of names, keys and results (default 1)' },
  suite: { takes: 'text', value: 'FILE', help: 'evaluate on a JSON file of legacy problems' },
  traces: {
    help: 'keep the last traces for the operator’s page also with --serve, --once, --days',
  },
  help: { help: 'show this' },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof flags;

export function usage(): string {
  const lines = Object.entries<Flag>(flags).map(([name, { value, help }]) => {
    const left = `  --${name}${value === undefined ? '' : ` ${value}`}`;
    return `${left.padEnd(22)} ${help}`;
  });
  return ['npm start -- [options]', '', ...lines].join('\n');
}

/** Undefined when help was asked for. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): WorldOptions | undefined {
  const given = readFlags(args);
  if (given.has('help')) return undefined;
  const count = (name: FlagName, fallback: number) => Number(given.get(name) ?? fallback);
  refuseContradictions(given, env);
  const real = given.has('real-validators')
    ? atLeastOne('real-validators', count('real-validators', 1))
    : 0;
  return {
    serve: given.has('serve'),
    json: given.has('json'),
    readyFile: given.get('ready-file'),
    once: given.has('once'),
    days: given.has('days') ? atLeastOne('days', count('days', 1)) : undefined,
    port: Number(given.get('port') ?? (env['PORT'] || 8080)),
    dataDir: resolve(given.get('data-dir') ?? (given.has('days') ? '.paddock/days' : '.paddock')),
    edges: atLeastOne('edges', count('edges', 1)),
    coordinators: atLeastOne('coordinators', count('coordinators', 1)),
    miners: count('miners', real > 0 ? exampleAgentCount : 7),
    validators: real > 0 ? real : count('validators', 4),
    realValidators: real,
    seed: count('seed', 1),
    suite: given.get('suite'),
    traces: given.has('traces') || !endsOrServes.some((name) => given.has(name)),
  };
}

function refuseContradictions(
  given: ReadonlyMap<FlagName, string>,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (given.has('serve')) {
    const needless = simulationOnly.find((name) => given.has(name));
    if (needless === undefined) return;
    throw new UsageError(`--${needless} is about the simulation, and --serve has none: use one`);
  }
  if (given.has('once') && (given.get('miners') === '0' || given.get('validators') === '0')) {
    throw new UsageError('--once waits for an eligible version: it needs miners and validators');
  }
  if (given.has('real-validators')) {
    const other = (['days', 'suite', 'validators'] as const).find((name) => given.has(name));
    if (other !== undefined) {
      throw new UsageError(`--real-validators and --${other} do not go together`);
    }
  }
  if (given.has('days')) {
    const needless = (['once', 'suite'] as const).find((name) => given.has(name));
    if (needless !== undefined) throw new UsageError(`--days and --${needless} do not go together`);
    if (given.get('miners') === '0' || given.get('validators') === '0') {
      throw new UsageError('--days plays races: it needs miners and validators');
    }
  }
  if ((env['CHAIN_RPC_URL'] ?? '') !== '') {
    throw new UsageError(
      'CHAIN_RPC_URL names a chain that simulated miners cannot register on: use --serve, or unset it',
    );
  }
}

/** Then nobody looks at them, or not unless he says so. */
const endsOrServes = ['serve', 'once', 'days'] as const;

const simulationOnly = [
  ...(['once', 'days', 'miners', 'validators', 'real-validators', 'suite'] as const),
];

function readFlags(args: readonly string[]): Map<FlagName, string> {
  const given = new Map<FlagName, string>();
  for (let at = 0; at < args.length; at++) {
    const [name, inline] = splitFlag(args[at] ?? '');
    const flag: Flag = flags[name];
    if (flag.takes === undefined) {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
      given.set(name, 'true');
      continue;
    }
    const value = inline ?? args[++at];
    if (value === undefined) throw new UsageError(`--${name} needs a value: ${flag.help}`);
    given.set(name, checked(name, flag, value));
  }
  return given;
}

function splitFlag(arg: string): [FlagName, string | undefined] {
  const match = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg);
  const name = match?.[1] ?? arg;
  if (match !== null && Object.hasOwn(flags, name)) return [name as FlagName, match[2]];
  const upper = Object.keys(flags).map((known) => known.toUpperCase());
  const near = nearestKey(name.toUpperCase(), upper)?.toLowerCase();
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  throw new UsageError(`unknown option ${arg}: ${hint}`);
}

function checked(name: FlagName, flag: Flag, value: string): string {
  if (flag.takes === 'text') {
    if (value === '') throw new UsageError(`--${name} needs a value: ${flag.help}`);
    return value;
  }
  const max = flag.takes === 'port' ? 65_535 : 100_000;
  if (!/^(0|[1-9][0-9]{0,8})$/.test(value) || Number(value) > max) {
    throw new UsageError(`--${name} takes a whole number from 0 to ${max}, not ${value}`);
  }
  return value;
}

function atLeastOne(name: FlagName, value: number): number {
  if (value >= 1) return value;
  throw new UsageError(`--${name} must be at least 1`);
}
