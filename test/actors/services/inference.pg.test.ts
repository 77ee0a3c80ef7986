import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import {
  countedRequests,
  createInferenceService,
} from '../../../actors/services/inference/inference.actor.ts';
import type { Usage } from '../../../actors/services/inference/messages.ts';
import { createModelPoller } from '../../../actors/services/inference/model-poller.actor.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { demoModels } from '../../../infra/inference/embedded/demo-models.ts';
import { createProviders } from '../../../infra/inference/providers.ts';
import { providerIds } from '../../../infra/ports/inference.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { startStandIns } from '../../support/stand-ins.ts';
import { until } from '../../support/until.ts';

function asService(t: ExecutionContext, url: string) {
  const sql = createSql({ url, applicationName: 'inference', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  return sql;
}

async function books(t: ExecutionContext) {
  const { admin, url, connect, plantRun, token } = await openLoanDesk(t);
  await connect('alice', 'providera', `demo-${randomUUID()}`);
  const evalRunId = await plantRun('alice');
  await token(evalRunId);
  const sql = asService(t, url);
  const service = createInferenceService({ sql });
  const usage: Usage = {
    ...{ evalRunId, provider: 'providera', modelId: 'some/model', isFailure: false },
    ...{ promptTokens: 10, completionTokens: 20 },
  };
  return {
    ...{ admin, sql },
    record: (id: string, rest: Partial<Usage> = {}) =>
      service['record-usage']({ ...usage, ...rest }, { id, account: 'system', trace: {} }),
    sums: async () => [
      ...(await admin`
        select provider, model_id, requests, failures, prompt_tokens::integer as prompt,
          completion_tokens::integer as completion
        from inference_usage order by provider, model_id`),
    ],
  };
}

test('a completion is counted once, however often and at whatever time it is told', async (t) => {
  const { record, sums } = await books(t);
  const ids = Array.from({ length: 8 }, () => randomUUID());
  await Promise.all([...ids, ...ids].map((id) => record(id)));
  await Promise.all(ids.map((id) => record(id)));
  await record(randomUUID(), { isFailure: true, promptTokens: 0, completionTokens: 0 });
  await record(randomUUID(), { provider: 'providerb', modelId: 'other' });

  t.deepEqual(await sums(), [
    {
      provider: 'providera',
      model_id: 'some/model',
      requests: 9,
      failures: 1,
      prompt: 80,
      completion: 160,
    },
    {
      provider: 'providerb',
      model_id: 'other',
      requests: 1,
      failures: 0,
      prompt: 10,
      completion: 20,
    },
  ]);
});

test('what was counted is forgotten when nobody repeats it any more; the sums stay', async (t) => {
  const { admin, sql, record, sums } = await books(t);
  await record(randomUUID());
  await record(randomUUID());
  await admin`
    update inference_request set counted_at = counted_at - interval '2 hours'
    where request_id in (select request_id from inference_request limit 1)`;
  const before = await sums();

  t.is(await countedRequests(sql)(100), 1);
  t.is(await countedRequests(sql)(100), 0);
  t.deepEqual(await sums(), before);
});

/** A look that fails comes again after the whole interval, so by itself none does on a slow machine. */
async function lookout(t: ExecutionContext, timeoutMs = 30_000) {
  const { sql: admin, url } = await testDatabase(t);
  const standIns = await startStandIns();
  t.teardown(() => standIns.stop());
  const { providera, providerb } = standIns;
  const providers = createProviders({
    ...{ provideraUrl: providera.url, providerbUrl: providerb.url },
    ...{ clock: systemClock, timeoutMs },
  });
  const allowed = {
    providera: demoModels.providera.allowed,
    providerb: demoModels.providerb.allowed,
  };
  const start = async (everyMs: number) => {
    const sql = asService(t, url);
    const poller = createModelPoller({
      ...{ sql, providers, allowed, everyMs, clock: systemClock, log: silentLogger },
    });
    await poller.start();
    t.teardown(() => poller.stop());
  };
  const rows = async () => [
    ...(await admin<
      {
        provider: string;
        models: { modelId: string; load: number }[] | null;
        polledAt: Date | null;
      }[]
    >`
      select provider, models, polled_at as "polledAt" from inference_snapshot order by provider`),
  ];
  return { standIns, start, rows };
}

test('what the providers serve of the allowed is kept', async (t) => {
  const { start, rows } = await lookout(t);
  await start(60_000);
  await until(async () => (await rows()).filter(({ models }) => models !== null).length === 2);

  for (const { provider, models } of await rows()) {
    const id = providerIds.find((each) => each === provider) ?? 'providera';
    const { served, allowed } = demoModels[id];
    const expected = served.map(({ modelId }) => modelId).filter((each) => allowed.includes(each));
    t.deepEqual(
      models?.map(({ modelId }) => modelId),
      expected,
    );
  }
});

test('of many processes one looks in each interval', async (t) => {
  const { standIns, start, rows } = await lookout(t);
  await Promise.all(Array.from({ length: 5 }, () => start(60_000)));
  await until(async () => (await rows()).filter(({ models }) => models !== null).length === 2);

  t.is(standIns.providera.counts.modelLists, 1);
  t.is(standIns.providerb.counts.modelLists, 1);
});

test('looks that fail leave the last good one, and the next good one replaces it', async (t) => {
  const { standIns, start, rows } = await lookout(t, 500);
  await start(100);
  const ofA = async () => (await rows()).find(({ provider }) => provider === 'providera');
  await until(async () => (await ofA())?.polledAt != null);
  const looks = async (more: number) => {
    const { requests } = standIns.providera.counts;
    await until(() => standIns.providera.counts.requests >= requests + more);
  };
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'cut' },
    { kind: 'hang' },
  ] as const) {
    standIns.providera.fail(fault, 'models');
    // One look at a time: that which had begun before may still end well, and is over by the next.
    await looks(2);
    const last = await ofA();
    t.true((last?.models?.length ?? 0) > 0);
    await looks(2);
    t.deepEqual(await ofA(), last);
  }
  const before = await ofA();
  standIns.providera.heal();
  standIns.providera.set({ dropped: ['dune/dune-v3'] });
  await until(async () => ((await ofA())?.polledAt ?? 0) > (before?.polledAt ?? 0));
  await until(async () => {
    const models = (await ofA())?.models ?? [];
    return models.length > 0 && models.every(({ modelId }) => modelId !== 'dune/dune-v3');
  });
  t.pass();
});
