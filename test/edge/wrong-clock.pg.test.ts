/** An edge on a host whose clock is wrong: it would refuse every caller who signs by a right one. */
import test from 'ava';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { startTestService } from '../support/edge.ts';
import { silentTelemetry } from '../support/silent-telemetry.ts';
import { until } from '../support/until.ts';

test('an edge whose clock is off is not ready and shows it, until the clock is right', async (t) => {
  let aheadMs = 0;
  let shown: () => number | undefined = () => undefined;
  const service = await startTestService({
    edgeClock: { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs },
    telemetry: {
      ...silentTelemetry,
      gauge: (name, read) => {
        if (name === 'paddock.edge.clock_ahead') shown = read;
        return () => undefined;
      },
    },
  });
  t.teardown(() => service.stop());
  const miner = await service.miner('punctual');
  const health = async () => {
    const answer = await service.call('GET', '/health/deep');
    const { probes } = (await answer.json()) as {
      probes: Record<string, { status: string; reason?: string }>;
    };
    const failed = Object.entries(probes).filter(([, { status }]) => status !== 'ok');
    return { status: answer.status, failed };
  };
  await until(async () => shown() === 0);

  aheadMs = 90_000;
  t.is((await miner.get('/v1/miner/agents')).status, 401);
  await until(async () => (await health()).status === 503);
  const { failed } = await health();
  t.is(failed.length, 1);
  t.is(failed[0]?.[0], 'clock');
  t.regex(failed[0]?.[1].reason ?? '', /^its clock is (8\d|90) s ahead of that of the database$/);
  t.true((shown() ?? 0) > 80);

  aheadMs = 0;
  await until(async () => (await health()).status === 200);
  t.is((await miner.get('/v1/miner/agents')).status, 200);
});
