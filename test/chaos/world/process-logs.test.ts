import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { NatsConnection } from 'nats';
import { EdgeWatch } from '../../../actors/runtime/edge-watch.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { HistoryWatch } from '../../../infra/history/history-watch.ts';
import { untilGivenUp } from '../../../infra/nats/connect.ts';
import type { Mark } from '../../../infra/ports/history.ts';
import { createLogger } from '../../../infra/telemetry/log.ts';
import { edgeSignals } from '../../support/edge-signals.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import type { ChaosProcess } from './chaos-world.ts';
import { toldByLogs } from './process-logs.ts';

/** A log of `edge-1`, which begins behind the half line of somebody who was killed. */
function openLog() {
  let text = '{"time":"2026-11-22T00:00';
  const log = createLogger({
    ...{ name: 'edge-1', level: 'info', nowMs: () => 90_000 },
    write: (line) => {
      text += line;
    },
  });
  return { log, text: () => text };
}

async function told(text: string) {
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'logs'));
  await writeFile(join(dataDir, 'logs', 'edge-1.log'), text);
  const processes = [{ name: 'edge-1' }] as unknown as readonly ChaosProcess[];
  return await toldByLogs({ dataDir, processes });
}

test('logs tell who was ready, also behind half a line, and which requests met a defect', async (t) => {
  const { log, text } = openLog();
  log.info('ready', { pid: 17, port: 80 });
  log.info('ready', { pid: 18 });
  log.error('a request failed', { path: '/a', code: 'STORE_UNAVAILABLE' });
  log.error('a request failed', { path: '/b', code: 'INTERNAL_ERROR' });
  log.info('stopping');

  const { ready, failedRequests, gaveUpBroker, lostHistory } = await told(text());

  t.deepEqual([...ready], [17, 18]);
  t.is(failedRequests.length, 1);
  t.regex(failedRequests[0] ?? '', /"path":"\/b"/);
  t.deepEqual([gaveUpBroker.size, lostHistory.length], [0, 0]);
});

test('logs tell which process gave up its broker, and when', async (t) => {
  const { log, text } = openLog();
  log.info('ready', { pid: 17 });
  log.info('ready', { pid: 18 });
  const closed = { closed: () => Promise.resolve(new Error('no servers')) };
  await untilGivenUp(closed as unknown as NatsConnection, log);
  log.info('ready', { pid: 19 });

  const { gaveUpBroker } = await told(text());

  t.deepEqual([...gaveUpBroker], [[18, 90_000]]);
});

test('logs tell that somebody took the database for one that went back', async (t) => {
  const { log, text } = openLog();
  const newest: Mark = { genesis: 'g', branch: 0, seq: 1, hash: 'a', atMs: 0 };
  const copy = {
    name: 'elsewhere',
    read: async () => ({ ...newest, seq: 2 }),
    write: async () => undefined,
  };
  const watch = new HistoryWatch({
    store: {
      advance: async () => undefined,
      read: async () => ({ newest, oldestSeq: 1, hashes: new Map([[1, 'a']]), nowMs: 0 }),
    },
    ...{ copies: [copy], isKeeper: false, clock: systemClock, log, telemetry: silentTelemetry },
  });
  await watch.start();
  await watch.stop();

  const { lostHistory } = await told(text());

  t.is(lostHistory.length, 1);
});

test('logs tell when all leases were moved for callers who wait at an edge', async (t) => {
  const { log, text } = openLog();
  const clock = new ManualClock();
  const { bus, hear } = edgeSignals();
  const delays: number[] = [];
  const deps = { bus, clock, log, policy: defaultPolicy, onOutageEnd: () => undefined };
  new EdgeWatch({ ...deps, onDelay: (byMs) => delays.push(byMs) }).start();
  hear({ name: 'edge-2', isLeaving: false, waitMs: defaultPolicy.edgeSilenceMs + 600 });

  t.is(delays.length, 1);
  t.deepEqual((await told(text())).movedEnds, [90_000]);
});
