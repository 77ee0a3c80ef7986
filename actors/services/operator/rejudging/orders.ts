import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../../../infra/ports/sql.ts';
import { refusal } from '../../../../machines/refusal.ts';
import type { RequestOf } from '../../messages.ts';
import type { CommandFacts } from '../../service-handler.ts';
import type { AuditFacts } from '../audit-entry.ts';
import { type operatorService, rejudgedRacesMax, rejudgedRunsMax } from '../messages.ts';
import { toPartition } from '../partition-messages.ts';
import type { PartitionMessage } from '../store.ts';
import { invalid } from '../suite-roster.ts';
import type { EndGround } from './end-ground.ts';
import { previewBoard, raceVerdicts } from './preview.ts';
import { judgingsOf, type Rejudging, rejudgingById } from './reads.ts';
import {
  endRejudging,
  insertRejudging,
  lockRejudging,
  runsOfRejudging,
  type SelectedRun,
  selectRuns,
} from './store.ts';

type Contract = typeof operatorService;
type MessageType = 'open-rejudging' | 'apply-rejudging' | 'cancel-rejudging';

interface Told {
  readonly reply: {
    readonly rejudgingId: string;
    readonly tickets: { readonly kind: 'eval'; readonly part: number; readonly msgId: string }[];
  };
  readonly audit: Omit<AuditFacts, 'actor'>;
  readonly messages: readonly PartitionMessage[];
}

/** Keeps which runs are to be judged again, and has their partitions offer them. */
export async function createRejudging(
  tx: Transaction,
  { criteria, reason }: RequestOf<Contract, 'create-rejudging'>,
  { command, rejudgingId }: { readonly command: CommandFacts; readonly rejudgingId: string },
): Promise<Told> {
  const runs = await selectRuns(tx, criteria, rejudgedRunsMax + 1);
  requireFit(runs);
  const { account: actor } = command;
  await insertRejudging(tx, { rejudgingId, criteria, reason, actor, runs });
  const detail = { criteria: givenOf(criteria), run_count: runs.length };
  const audit = { action: 'rejudging.create', object: `rejudging/${rejudgingId}`, reason, detail };
  return told(command, { rejudgingId, audit, type: 'open-rejudging', runs }, (ofPart) => ({
    raceIds: [...new Set(ofPart.flatMap(({ raceId }) => raceId ?? []))],
    runs: ofPart.map(({ agentVersionId, evalRunId }) => ({ agentVersionId, evalRunId })),
  }));
}

function requireFit(runs: readonly SelectedRun[]): void {
  if (runs.length === 0) throw invalid(['body'], 'selects no run that may be judged again');
  // First, for of more than fit it is chance which are here.
  if (runs.length > rejudgedRunsMax) {
    throw invalid(['body'], `selects more than ${rejudgedRunsMax} runs`);
  }
  requireFewRaces(runs.flatMap(({ raceNumber }) => raceNumber ?? []));
  const running = runs.find(
    ({ raceStatus }) => raceStatus !== null && raceStatus !== 'RACE_COMPLETE',
  );
  if (running !== undefined) {
    throw refusal('RACE_LOCKED', {
      says: `Race ${running.raceId} still runs, and runs of it are among those selected.`,
      next: 'Wait until it is over, or leave them out.',
    });
  }
}

function requireFewRaces(numbers: readonly number[]): void {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (last - first < rejudgedRacesMax) return;
  const says = `selects runs of races ${first} to ${last}, and may of ${rejudgedRacesMax} in a row`;
  throw invalid(['body'], `${says}: split them by claimed_from and claimed_until`);
}

function givenOf(criteria: object): object {
  return Object.fromEntries(Object.entries(criteria).filter(([, value]) => value !== null));
}

export async function orderRejudging(
  tx: Transaction,
  request: RequestOf<Contract, 'order-rejudging'>,
  command: CommandFacts,
  ground: EndGround | undefined,
): Promise<Told> {
  const { order, rejudgingId, reason } = request;
  const isApplied = order === 'apply-rejudging';
  const rejudging = await heldRejudging(tx, rejudgingId);
  const judgings = await judgingsOf(tx, rejudging);
  // A verdict that came since it was read makes another difference, and came after the order: it was not ready.
  const isKnown = isDeepStrictEqual(ground?.verdicts, raceVerdicts(judgings));
  if (isApplied && (rejudging.status === 'OPEN' || !isKnown)) {
    throw refusal('REJUDGING_NOT_READY');
  }
  const board = await previewBoard(tx, rejudging.suiteId, judgings);
  const outcome = { ...board, races: ground?.races ?? [] };
  await endRejudging(tx, { rejudgingId, isApplied, reason, outcome });
  const action = isApplied ? 'rejudging.apply' : 'rejudging.cancel';
  const detail = { status: rejudging.status, run_count: rejudging.selected };
  const audit = { action, object: `rejudging/${rejudgingId}`, reason, detail };
  const runs = await runsOfRejudging(tx, rejudgingId);
  return told(command, { rejudgingId, audit, type: order, runs }, () => ({}));
}

/** As it stands until this transaction ends: nobody else ends it. */
async function heldRejudging(tx: Transaction, rejudgingId: string): Promise<Rejudging> {
  const isHeld = await lockRejudging(tx, rejudgingId);
  const rejudging = isHeld ? await rejudgingById(tx, rejudgingId) : undefined;
  if (rejudging === undefined) {
    throw refusal('REJUDGING_NOT_FOUND');
  }
  if (rejudging.status !== 'OPEN' && rejudging.status !== 'READY') {
    throw refusal('REJUDGING_OVER');
  }
  return rejudging;
}

/** One message to each partition that has runs of it, which answers when it has done its part. */
function told<R extends Pick<SelectedRun, 'agentVersionId' | 'part'>>(
  command: CommandFacts,
  order: {
    readonly rejudgingId: string;
    readonly audit: Told['audit'];
    readonly type: MessageType;
    readonly runs: readonly R[];
  },
  bodyOf: (ofPart: readonly R[]) => object,
): Told {
  const { rejudgingId, audit, type, runs } = order;
  const messages = [...Map.groupBy(runs, ({ part }) => part)].map(([part, ofPart]) => {
    const agentVersionIds = [...new Set(ofPart.map(({ agentVersionId }) => agentVersionId))];
    const body = { rejudgingId, agentVersionIds, ...bodyOf(ofPart) };
    return toPartition(command, { kind: 'eval', type, part }, body);
  });
  const tickets = messages.map(({ targetPart: part, msgId }) => {
    return { kind: 'eval' as const, part, msgId };
  });
  return { reply: { rejudgingId, tickets }, audit, messages };
}
