/** An edge without HTTP: proofs of nonces, claims, heartbeats and completions go over the bus alone. */
import type { EvalCommandType, EvalReply } from '../../../../actors/lease-manager/messages.ts';
import { NonceLedger } from '../../../../apps/edge/auth/nonce-ledger.ts';
import { type Ask, askOwner } from '../../../../apps/edge/evaluation/owner.ts';
import { systemClock } from '../../../../infra/clock/system-clock.ts';
import { randomHex, randomId } from '../../../../infra/ids/ids.ts';
import { createCommandBus } from '../../../../infra/nats/command-bus.ts';
import { connectNats } from '../../../../infra/nats/connect.ts';
import { silentTelemetry } from '../../../support/silent-telemetry.ts';
import { HdrHistogram } from '../hdr-histogram.ts';
import { planOf, servePartner } from '../partner-process.ts';
import type { InsideAnswer, InsideOrder, InsidePlan, OpenWork } from './orders.ts';
import { patiently } from './patiently.ts';

const { natsUrl } = planOf<InsidePlan>();
const inboxPrefix = '_INBOX_edge';
const connection = await connectNats({ url: natsUrl, name: 'bench', inboxPrefix });
const bus = createCommandBus({
  ...{ connection, clock: systemClock, telemetry: silentTelemetry },
  inbox: `${inboxPrefix}.${randomHex(16)}`,
});
const ledger = new NonceLedger(bus, systemClock);

interface Held {
  readonly part: number;
  readonly agentVersionId: string;
  readonly evalRunId: string;
  readonly validatorHotkey: string;
}

let held: Held[] = [];
let validators = 0;
const seen = new Set<string>();
const wrong: string[] = [];
let shed = 0;

servePartner(true, async (order: InsideOrder): Promise<InsideAnswer> => {
  wrong.length = 0;
  shed = 0;
  switch (order.what) {
    case 'nonces':
      return await timed(order.inFlight, numbers(order.count), takeNonce);
    case 'map':
      return mapWindow(order);
    case 'claims':
      return await timed(order.inFlight, numbers(order.count), (index) =>
        claim(order.work[index % order.work.length]),
      );
    case 'starts':
      return await timed(order.inFlight, held.values(), beat);
    case 'heartbeats':
      return await timed(order.inFlight, inTurn(order.seconds), beat);
    case 'completions': {
      const runs = held;
      held = [];
      return await timed(order.inFlight, runs.values(), complete);
    }
  }
});

/** Lanes take the next one each, so that so many are under way. */
async function timed<T>(
  inFlight: number,
  all: Iterator<T>,
  work: (one: T) => Promise<void>,
): Promise<InsideAnswer> {
  const latency = new HdrHistogram();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const lane = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) {
      const askedMs = performance.now();
      await work(next.value);
      latency.record(performance.now() - askedMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(before);
  return {
    ...{ count: latency.count, seconds: (performance.now() - startedMs) / 1000 },
    ...{ p50Ms: latency.quantileMs(0.5), cpuUs: user + system, wrong: wrong.slice(0, 5), shed },
  };
}

function* numbers(count: number): Generator<number, void> {
  for (let number = 0; number < count; number += 1) yield number;
}

/** The runs that are held, until the time is over. */
function* inTurn(seconds: number): Generator<Held, void> {
  const endMs = performance.now() + seconds * 1000;
  for (const runs = held; runs.length > 0; ) {
    for (const run of runs) {
      if (performance.now() >= endMs) return;
      yield run;
    }
  }
}

async function takeNonce(index: number): Promise<void> {
  // As long as a real one: it stands in the row and in its key.
  const use = { hotkey: `bench-${index % 1_000}`.padEnd(48, '-'), nonce: randomId() };
  if (!(await ledger.take(use))) wrong.push('a fresh nonce was taken for a replay');
  if (index % 100 === 50 && (await ledger.take(use))) wrong.push('a replay was let in');
}

function mapWindow({ count, window }: Extract<InsideOrder, { what: 'map' }>): InsideAnswer {
  const nonces = Array.from({ length: count + window }, () => randomId());
  const live = new Map<string, number>();
  const insert = (nonce: string) => {
    if (live.has(nonce)) wrong.push('a fresh nonce was taken for a replay');
    live.set(nonce, 0);
    const [oldest] = live.keys();
    if (live.size > window && oldest !== undefined) live.delete(oldest);
  };
  for (const nonce of nonces.slice(0, window)) insert(nonce);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  for (const nonce of nonces.slice(window)) insert(nonce);
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { count, seconds, p50Ms: Number.NaN, cpuUs: user + system, wrong, shed };
}

/** Under one id, so that what was shed is the same order when it comes again. */
async function ask<T extends EvalCommandType>(order: Ask<T>): Promise<EvalReply<T>> {
  return await patiently(
    () => askOwner(bus, order),
    () => {
      shed += 1;
    },
  );
}

async function claim(work: OpenWork | undefined): Promise<void> {
  if (work === undefined) throw new Error('there is no work');
  const { part, workItemId } = work;
  const validatorHotkey = `bench-validator-${validators++}`;
  const { run } = await ask({
    ...{ type: 'claim-work', part, id: randomId(), account: validatorHotkey },
    body: { validatorHotkey, validatorColdkey: null, slot: 0, preferred: [workItemId] },
  });
  if (run === null) return void wrong.push(`partition ${part} has too little work`);
  const { evalRunId, agentVersionId } = run;
  if (seen.has(evalRunId)) wrong.push('a run was claimed twice');
  seen.add(evalRunId);
  held.push({ part, agentVersionId, evalRunId, validatorHotkey });
}

async function beat({ part, ...body }: Held): Promise<void> {
  const account = body.validatorHotkey;
  await ask({ type: 'heartbeat', part, id: randomId(), account, body });
}

async function complete({ part, ...run }: Held): Promise<void> {
  const { status } = await ask({
    ...{ type: 'complete-run', part, id: randomId(), account: run.validatorHotkey },
    body: {
      ...run,
      ...{ terminalStatus: 'FAILED', scoreMicro: null, scoreComponents: null },
      ...{ resultsS3Key: null, failureReason: 'download', failureClass: 'PLATFORM' },
      sandboxMetadata: null,
    },
  });
  if (status !== 'FAILED') wrong.push(`a failed run became ${status}`);
}
