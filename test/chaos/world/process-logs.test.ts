import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createLogger } from '../../../infra/telemetry/log.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import type { ChaosProcess } from './chaos-world.ts';
import { toldByLogs } from './process-logs.ts';

test('logs tell who was ready, also behind half a line, and which requests met a defect', async (t) => {
  const dataDir = await temporaryFolder();
  let text = '{"time":"2026-11-22T00:00';
  const log = createLogger({
    ...{ name: 'edge-1', level: 'info', nowMs: () => 0 },
    write: (line) => {
      text += line;
    },
  });
  log.info('ready', { pid: 17, port: 80 });
  log.info('ready', { pid: 18 });
  log.error('a request failed', { path: '/a', code: 'STORE_UNAVAILABLE' });
  log.error('a request failed', { path: '/b', code: 'INTERNAL_ERROR' });
  log.info('stopping');
  await mkdir(join(dataDir, 'logs'));
  await writeFile(join(dataDir, 'logs', 'edge-1.log'), text);

  const processes = [{ name: 'edge-1' }] as unknown as readonly ChaosProcess[];
  const { ready, failedRequests } = await toldByLogs({ dataDir, processes });

  t.deepEqual([...ready], [17, 18]);
  t.is(failedRequests.length, 1);
  t.regex(failedRequests[0] ?? '', /"path":"\/b"/);
});
