import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { startTestService } from '../../support/edge.ts';
import { askingRun, question } from '../../support/inference-desk.ts';
import { mortalDatabase } from '../../support/mortal-database.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';

test('a completion that ended while there was no database is counted when there is one', async (t) => {
  const database = await mortalDatabase(t);
  const sql = createSql({ url: database.url, applicationName: 'test', max: 2 });
  t.teardown(() => closeSql(sql));
  const service = await startTestService({ database: { url: database.url, sql } });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  const run = await askingRun(service);
  const { providera } = service.providers;
  providera.set({ chunkMs: 300 });
  const answer = await run.chat({ ...question(), stream: true });
  t.is(answer.status, 200);
  await database.stop();
  t.regex(await answer.text(), /\[DONE\]/);

  // Longer than five tries took, each of which was told after three seconds that there is none.
  await sleep(30_000);
  await database.start();
  await until(async () => {
    const rows = await run.usage().catch(() => []);
    return rows.some(({ requests }) => requests === 1);
  }, 60_000);
  t.like(await run.usage(), [{ requests: 1, failures: 0 }]);
});
