import { rm } from 'node:fs/promises';
import test from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { startTestService } from '../../support/edge.ts';
import { hurriedClock } from '../../support/hurried-clock.ts';
import { keptGauges } from '../../support/kept-gauges.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

const epochMs = 4_320_000;

/** What the owner of the database does by the runbook, or a clock that is a day ahead does to it. */
async function moveMadeAt(sql: Sql, by: string) {
  await sql`alter table epoch_standings disable trigger epoch_standings_only_grows`;
  await sql`update epoch_standings set made_at = made_at + ${by}::text::interval`;
  await sql`alter table epoch_standings enable trigger epoch_standings_only_grows`;
}

test('an edge says that its honest chain is refused, asked or not, until the standings have their right time', async (t) => {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const passed = { ms: 0 };
  const node = await startEmbeddedChain({
    ...{ dataDir, netuid: 1 },
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + passed.ms },
  });
  t.teardown(() => node.stop());
  const { clock, moved } = hurriedClock();
  const { telemetry, gauge } = keptGauges();
  const service = await startTestService({
    env: { CHAIN_RPC_URL: node.url },
    edgeClock: clock,
    telemetry,
  });
  t.teardown(() => service.stop());
  const refused = () => gauge('paddock.chain.refused');
  const health = async () => {
    const answer = await service.call('GET', '/health/deep');
    const { probes } = (await answer.json()) as { probes: { chain?: { reason?: string } } };
    return `${answer.status} ${probes.chain?.reason ?? ''}`.trim();
  };
  const validator = await service.validator('validator');
  const ask = async () => {
    const answer = await validator.get('/v1/validator/weight-salt');
    const body = (await answer.json()) as { epoch_index?: number; error_code?: string };
    return `${answer.status} ${body.epoch_index ?? body.error_code}`;
  };
  await until(async () => (await ask()) === '200 0');
  t.is(refused(), 0);

  // The database's clock was a day ahead then, and five epochs passed since.
  await moveMadeAt(service.sql, '1 day');
  passed.ms = 5 * epochMs;
  moved.ms += 60_000;
  await until(async () => refused() === 1);
  t.is(gauge('paddock.chain.stalled'), 0, 'it goes on');
  t.is(await health(), '200 the chain node names an epoch that it cannot be');
  t.is(await ask(), '503 CHAIN_UNAVAILABLE');

  await moveMadeAt(service.sql, '-30 hours');
  await until(async () => refused() === 0);
  t.is(await ask(), '200 5');
  await until(async () => (await health()) === '200');
});
