import type { Transaction } from '../../../infra/ports/sql.ts';
import { obstacleTo } from '../../../machines/evaluation-run/run-order.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { RequestOf } from '../messages.ts';
import type { CommandFacts } from '../service-handler.ts';
import type { AuditFacts } from './audit-entry.ts';
import type { OrderTicket, operatorService } from './messages.ts';
import { findRun, findVersion, holdRace, lockPins } from './order-store.ts';
import { type Addressed, toPartition } from './partition-messages.ts';
import type { PartitionMessage } from './store.ts';

type Contract = typeof operatorService;

/** An order that an actor has yet to carry out, and under which id it will answer. */
export interface Ordered {
  readonly reply: OrderTicket;
  readonly audit: Omit<AuditFacts, 'actor'>;
  readonly messages: readonly [PartitionMessage];
}

const raceActions = {
  'close-qualifying': 'race.close',
  'start-race': 'race.start',
  'cancel-race': 'race.cancel',
} as const;
const versionActions = {
  'discard-version': 'version.discard',
  'reinstate-version': 'version.reinstate',
} as const;
const runActions = {
  'exclude-run': 'run.exclude',
  'include-run': 'run.include',
  'reclaim-run': 'run.reclaim',
} as const;

export async function orderRace(
  tx: Transaction,
  request: RequestOf<Contract, 'order-race'>,
  command: CommandFacts,
): Promise<Ordered> {
  const { order, raceId, reason } = request;
  const race = await holdRace(tx, raceId);
  if (race === undefined) throw refusal('RACE_NOT_FOUND');
  if (race.status === 'RACE_COMPLETE' || race.status === 'RACE_CANCELLED') {
    throw refusal('RACE_OVER', { extras: { race_status: race.status } });
  }
  if (order !== 'cancel-race') await lockPins(tx, raceId);
  const { part, status } = race;
  const body = order === 'cancel-race' ? { raceId, reason: request.reason } : { raceId };
  const detail = { suite_id: race.suiteId, race_number: race.raceNumber, status };
  const audit = { action: raceActions[order], object: `race/${raceId}`, reason, detail };
  return ordered(command, { to: { kind: 'race', type: order, part }, body, audit });
}

export async function orderVersion(
  tx: Transaction,
  request: RequestOf<Contract, 'order-version'>,
  command: CommandFacts,
): Promise<Ordered> {
  const { order, agentVersionId, reason } = request;
  const version = await findVersion(tx, agentVersionId);
  if (version === undefined) {
    throw refusal('AGENT_VERSION_NOT_FOUND');
  }
  const { part, state } = version;
  const body =
    order === 'discard-version' ? { agentVersionId, reason: request.reason } : { agentVersionId };
  const object = `agent-version/${agentVersionId}`;
  const audit = { action: versionActions[order], object, reason, detail: { state } };
  return ordered(command, { to: { kind: 'eval', type: order, part }, body, audit });
}

export async function orderRun(
  tx: Transaction,
  request: RequestOf<Contract, 'order-run'>,
  command: CommandFacts,
): Promise<Ordered> {
  const { order, evalRunId, reason } = request;
  const run = await findRun(tx, evalRunId);
  if (run === undefined) throw refusal('EVAL_RUN_NOT_FOUND');
  // What judges a race again comes after it, and its end changes nothing of what the race came to.
  const isBesideRace = run.isRejudging && order === 'reclaim-run';
  if (!isBesideRace) await requireChangeable(tx, run.raceId);
  // As far as the rows tell; the owner may know better and decides.
  const obstacle = obstacleTo(order, run);
  if (obstacle !== undefined) throw obstacle;
  const { part, agentVersionId, status, isIncluded } = run;
  const ids = { agentVersionId, evalRunId };
  const body = order === 'exclude-run' ? { ...ids, reason: request.reason } : ids;
  const detail = { agent_version_id: agentVersionId, status, is_included: isIncluded };
  const object = `evaluation-run/${evalRunId}`;
  const audit = { action: runActions[order], object, reason, detail };
  return ordered(command, { to: { kind: 'eval', type: order, part }, body, audit });
}

/** The runs of a race change only while it runs: its results stand, or it has none. */
async function requireChangeable(tx: Transaction, raceId: string | null): Promise<void> {
  if (raceId === null) return;
  const race = await holdRace(tx, raceId);
  if (race?.status !== 'RACE_RUNNING')
    throw refusal('RACE_OVER', { says: 'The race of this run is over.' });
}

function ordered(
  command: CommandFacts,
  order: {
    readonly to: Addressed & { readonly part: number };
    readonly body: object;
    readonly audit: Ordered['audit'];
  },
): Ordered {
  const { to, body, audit } = order;
  const message = toPartition(command, to, body);
  return {
    reply: { kind: to.kind, part: to.part, msgId: message.msgId },
    audit,
    messages: [message],
  };
}
