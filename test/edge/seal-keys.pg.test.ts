import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { testDatabase } from '../support/cluster.ts';
import { startTestService } from '../support/edge.ts';

/** As a new environment file has it: always the same id, and a key that nobody had before. */
const newKeys = () => ({ CREDENTIAL_KEYS: `k1:${randomBytes(32).toString('base64')}` });

async function refusal(t: ExecutionContext, start: Promise<{ stop(): Promise<void> }>) {
  const service = await start.catch((error: unknown) => error);
  if (service instanceof Error) return service;
  t.teardown(() => (service as { stop(): Promise<void> }).stop());
  return undefined;
}

const isRefused = (t: ExecutionContext, error: Error | undefined) => {
  t.like(error, { code: 'SEAL_KEY_CHANGED' });
  t.regex(error?.message ?? '', /another key under the id "k1"/);
  t.regex(error?.message ?? '', /put that one back/);
};

test('a coordinator with another key under the id of the one that seals ends at its start', async (t) => {
  const database = await testDatabase(t);
  const first = await startTestService({ database, env: newKeys() });
  await first.stop();

  isRefused(t, await refusal(t, startTestService({ database, env: newKeys() })));
});

test('an edge with another key than its coordinators ends at its start', async (t) => {
  isRefused(t, await refusal(t, startTestService({ env: newKeys(), edgeEnv: newKeys() })));
});
