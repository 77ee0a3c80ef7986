import { seededChoice } from '../../support/coordinator-faults.ts';

/** A line that a fault befalls: whose, and to whom. */
export type Line = 'chain' | 'door' | 'nats' | 'postgres' | 'store';

export type LineFault =
  | 'cut'
  | 'delayed'
  | 'held back'
  | 'held up'
  | 'refused'
  | 'slow'
  | 'stranded';

export type Fault = { readonly index: number; readonly atMs: number } & FaultBody;

export type FaultBody =
  | { readonly kind: 'kill' | 'terminate'; readonly who: string }
  | { readonly kind: 'freeze'; readonly who: string; readonly ms: number }
  /** Every coordinator at once. */
  | { readonly kind: 'darkness'; readonly ms: number }
  | {
      readonly kind: 'postgres killed';
      readonly signal: 'SIGKILL' | 'SIGQUIT';
      readonly ms: number;
    }
  | { readonly kind: 'nats killed' | 'nats rolled back' | 'nats wiped'; readonly ms: number }
  | { readonly kind: 'nats frozen'; readonly ms: number }
  | {
      readonly kind: 'line';
      readonly line: Line;
      /** Whose; everybody's when it is the store's or the chain's. */
      readonly who: string;
      readonly how: LineFault;
      readonly ms: number;
    };

export interface FaultPlanOptions {
  readonly seed: number;
  readonly edges: number;
  readonly coordinators: number;
}

const gapMs = { min: 2_000, max: 8_000 };
/** JetStream's store never lives longer. */
const wipeEveryMs = 55_000;
/** What is stored meanwhile for a coordinator that stands still is lost with the store, and no member's lease ends. */
const deafBeforeWipeMs = { min: 2_000, max: 4_000 };
/** Over the deletion, and a little longer than a member's lease. */
const deafMs = { min: 6_000, max: 9_000 };

/** The same seed gives the same faults at the same times, for ever. */
export function* faultPlan(options: FaultPlanOptions): Generator<Fault, never> {
  const choose = seededChoice(options.seed);
  const between = (min: number, max: number) => min + choose(max - min + 1);
  const dice = { choose, between };
  let atMs = 0;
  let wipedMs = 0;
  let isSomebodyDeaf = false;
  for (let index = 1; ; index++) {
    const gap = isSomebodyDeaf ? deafBeforeWipeMs : gapMs;
    atMs += between(gap.min, gap.max);
    const isDue = atMs + gapMs.max + deafBeforeWipeMs.max - wipedMs > wipeEveryMs;
    const body: FaultBody = isSomebodyDeaf
      ? { kind: 'nats wiped', ms: between(200, 1_500) }
      : isDue
        ? deaf(options, dice)
        : drawn(options, dice);
    isSomebodyDeaf = isDue && !isSomebodyDeaf;
    if (body.kind === 'nats wiped') wipedMs = atMs;
    yield { index, atMs, ...body };
  }
}

/** Without it, messages are so seldom under way when the store is deleted that a short run may lose none. */
function deaf(by: FaultPlanOptions, dice: Dice): FaultBody {
  const ms = dice.between(deafMs.min, deafMs.max);
  return { kind: 'freeze', who: coordinator(by, dice), ms };
}

interface Dice {
  readonly choose: (below: number) => number;
  readonly between: (min: number, max: number) => number;
}

const shares: readonly (readonly [
  share: number,
  draw: (by: FaultPlanOptions, dice: Dice) => FaultBody,
])[] = [
  [16, (by, dice) => ({ kind: 'kill', who: coordinator(by, dice) })],
  [8, (by, dice) => ({ kind: 'kill', who: edge(by, dice) })],
  [11, (by, dice) => ({ kind: 'freeze', who: coordinator(by, dice), ms: frozenMs(dice) })],
  [6, (by, dice) => ({ kind: 'freeze', who: edge(by, dice), ms: frozenMs(dice) })],
  [5, (by, dice) => ({ kind: 'terminate', who: coordinator(by, dice) })],
  [4, (by, dice) => ({ kind: 'terminate', who: edge(by, dice) })],
  [6, (_, dice) => ({ kind: 'darkness', ms: dice.between(2_000, 8_000) })],
  [
    7,
    (_, dice) => ({
      kind: 'postgres killed',
      signal: dice.choose(2) === 0 ? 'SIGKILL' : 'SIGQUIT',
      ms: dice.between(100, 2_000),
    }),
  ],
  [5, (_, dice) => ({ kind: 'nats killed', ms: dice.between(100, 2_000) })],
  [3, (_, dice) => ({ kind: 'nats rolled back', ms: dice.between(100, 1_500) })],
  [4, (_, dice) => ({ kind: 'nats frozen', ms: dice.between(1_000, 8_000) })],
  [4, (_, dice) => ({ kind: 'nats wiped', ms: dice.between(100, 1_500) })],
  [4, lostCommit],
  [24, lineFault],
];

function drawn(options: FaultPlanOptions, dice: Dice): FaultBody {
  let left = dice.choose(shares.reduce((sum, [share]) => sum + share, 0));
  for (const [share, draw] of shares) {
    left -= share;
    if (left < 0) return draw(options, dice);
  }
  throw new Error('the shares do not add up');
}

const edge = ({ edges }: FaultPlanOptions, { choose }: Dice) => `edge-${1 + choose(edges)}`;
const coordinator = ({ coordinators }: FaultPlanOptions, { choose }: Dice) =>
  `coordinator-${1 + choose(coordinators)}`;

const frozenMs = ({ between }: Dice) => between(1_000, 15_000);

/**
 * A commit that is on its way when the lease of its sender ends, and arrives after somebody else took
 * over: longer than a member's lease, shorter than the silence that a connection endures.
 */
function lostCommit(by: FaultPlanOptions, dice: Dice): FaultBody {
  const ms = dice.between(5_100, 5_900);
  return { kind: 'line', line: 'postgres', who: coordinator(by, dice), how: 'held up', ms };
}

const ways: readonly LineFault[] = [
  'cut',
  'delayed',
  'held up',
  'held back',
  'refused',
  'slow',
  'stranded',
];

const lines: readonly Line[] = ['door', 'nats', 'nats', 'postgres', 'postgres', 'store', 'chain'];

function lineFault(by: FaultPlanOptions, dice: Dice): FaultBody {
  const line = lines[dice.choose(lines.length)] ?? 'nats';
  const how = ways[dice.choose(ways.length)] ?? 'cut';
  const ms = dice.between(500, 6_000);
  if (line === 'chain' || line === 'store') return { kind: 'line', line, who: 'all', how, ms };
  const isEdge = line === 'door' || dice.choose(3) === 0;
  const who = isEdge ? edge(by, dice) : coordinator(by, dice);
  return { kind: 'line', line, who, how, ms };
}

/** One line of the log; the same fault reads the same in every run of its seed. */
export function describeFault(fault: Fault): string {
  const { index, atMs } = fault;
  return `#${index} +${(atMs / 1000).toFixed(1)}s ${describeBody(fault)}`;
}

function describeBody(fault: FaultBody): string {
  switch (fault.kind) {
    case 'kill':
    case 'terminate':
      return `${fault.kind} ${fault.who}`;
    case 'freeze':
      return `freeze ${fault.who} for ${fault.ms} ms`;
    case 'darkness':
      return `kill every coordinator and keep them dead for ${fault.ms} ms`;
    case 'postgres killed':
      return `${fault.signal} to Postgres, back after ${fault.ms} ms`;
    case 'nats killed':
      return `SIGKILL to NATS, back after ${fault.ms} ms`;
    case 'nats rolled back':
      return `SIGKILL to NATS, its store as it was at an earlier kill, back after ${fault.ms} ms`;
    case 'nats wiped':
      return `SIGKILL to NATS, its whole store deleted, back after ${fault.ms} ms`;
    case 'nats frozen':
      return `freeze NATS for ${fault.ms} ms`;
    case 'line':
      return `${lineName(fault)} ${fault.how} for ${fault.ms} ms`;
  }
}

function lineName({ line, who }: { readonly line: Line; readonly who: string }): string {
  if (line === 'chain') return 'lines to the chain';
  if (line === 'store') return 'lines to the object store';
  return line === 'door' ? `lines from clients to ${who}` : `lines from ${who} to ${line}`;
}

/**
 * For how long a stranded line hurts when it is over. It is half-open for ever: only missing answers to
 * three pings end a connection to the broker, and to a statement one to the database.
 */
export const strandedMs = 15_000;

export function isStranded(fault: FaultBody): boolean {
  return fault.kind === 'line' && fault.how === 'stranded';
}

/** What a report counts as one kind. */
export function kindOf(fault: FaultBody): string {
  if (fault.kind === 'line') return `${fault.line} line ${fault.how}`;
  if (!('who' in fault)) return fault.kind;
  return `${fault.kind} ${fault.who.replace(/-\d+$/, '')}`;
}
