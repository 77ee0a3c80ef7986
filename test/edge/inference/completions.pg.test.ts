import test from 'ava';
import { demoModels } from '../../../infra/inference/embedded/demo-models.ts';
import { announceBody } from '../../support/announced-body.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { holdLock } from '../../support/held-lock.ts';
import { askingRun, modelA, question } from '../../support/inference-desk.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused, unkept } from '../routes/answers.ts';

const runLimitSeconds = 5000;

let service: TestService;
test.before(async () => {
  service = await startTestService({
    env: {
      INFERENCE_CONCURRENT_PER_RUN: '2',
      INFERENCE_REQUESTS_PER_RUN: '12',
      RUN_LIMIT_SECONDS: String(runLimitSeconds),
      INFERENCE_BREAKER_FAILURES: '4',
      INFERENCE_BREAKER_SECONDS: '10',
    },
  });
  await openTrialSuite(service, { requiredSuccesses: 1 });
  await until(async () => {
    const rows = await service.sql`select from inference_snapshot where models is not null`;
    return rows.length === 2;
  });
});
test.after.always(() => service?.stop());
test.afterEach(() => {
  service.providers.providera.heal();
  service.providers.providerb.heal();
});

interface Completion {
  readonly model: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

const answeredBy = (answer: Response) => answer.headers.get('x-inference-provider');
const idle = () => until(() => service.providers.providera.counts.open === 0);

test.serial(
  'an agent asks an allowed model by its id or by an alias, and is counted',
  async (t) => {
    const run = await askingRun(service);

    const answer = unkept(t, await run.chat({ ...question(), temperature: 0.5 }));
    t.is(answer.status, 200);
    t.is(answeredBy(answer), 'providera');
    t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    const said = await okBody<Completion>(answer);
    t.is(said.model, modelA);
    t.true((said.choices[0]?.message.content.length ?? 0) > 0);
    const aliased = await okBody<Completion>(await run.chat(question('large')));
    t.is(aliased.model, modelA);
    t.deepEqual(await run.usage(), [
      {
        ...{ provider: 'providera', modelId: modelA, requests: 2, failures: 0 },
        promptTokens: 2 * said.usage.prompt_tokens,
        completionTokens: 2 * said.usage.completion_tokens,
      },
    ]);
  },
);

test.serial(
  'a model outside of the allowlist is refused, and the allowed ones are named',
  async (t) => {
    const run = await askingRun(service, ['providera', 'providerb']);
    const { providera, providerb } = service.providers;
    const before = providera.counts.completions + providerb.counts.completions;

    // Served by the provider, and by the other one; a prototype's word; a fallback in disguise.
    for (const body of [
      question('grove/grove-vision-12b'),
      question('heath/heath-large'),
      question('constructor'),
      { ...question(), models: [modelA, 'grove/grove-vision-12b'] },
    ]) {
      const refusal = await refused(t, await run.chat(body), '403 MODEL_NOT_ALLOWED');
      t.deepEqual(refusal['allowed_models'], demoModels.providera.allowed);
    }
    const other = await run.chat(question('birch/birch-32b-coder'), { provider: 'providerb' });
    const refusal = await refused(t, other, '403 MODEL_NOT_ALLOWED');
    t.deepEqual(refusal['allowed_models'], demoModels.providerb.allowed);
    t.is(providera.counts.completions + providerb.counts.completions, before);
    t.deepEqual(await run.usage(), []);
  },
);

test.serial('only the token of a live run speaks, and is asked for before the body', async (t) => {
  const run = await askingRun(service);
  const path = '/v1/inference/providera/chat/completions';

  await refused(t, await service.call('POST', path, { body: {} }), '401 MISSING_CREDENTIALS');
  for (const token of ['inf_0', `inf_${'0'.repeat(64)}`, service.operatorToken]) {
    await refused(t, await run.chat({ no: 'model' }, { token }), '401 INVALID_SESSION');
  }
  t.is(await invalid(t, await run.chat({ messages: [] })), 'body.model');
  t.is(await invalid(t, await run.chat({ ...question(), stream: 'yes' })), 'body.stream');
  // To parsers that do not look at case, and fold more than that, each of these is the field itself.
  for (const name of ['Model', 'MODELS', 'model\u017f', 'Stream_Options']) {
    const body = { ...question(), [name]: 'grove/grove-vision-12b' };
    t.is(await invalid(t, await run.chat(body)), `body.${name}`);
  }
  // In four megabytes of empty objects there would be a hundred, for as long as the completion takes.
  const parts = await run.chat({ ...question(), x: Array(50_000).fill({}) });
  await refused(t, parts, '413 BODY_TOO_LARGE');
  await refused(t, await run.chat(question(), { provider: 'nobody' }), '404 UNKNOWN_PROVIDER');
  await refused(t, await run.chat(question(), { provider: 'providerb' }), '404 NOT_CONNECTED');
  await run.end();
  await refused(t, await run.chat({ no: 'model' }), '401 INVALID_SESSION');
});

test.serial(
  'a model that the provider dropped is asked of the other one, where it may',
  async (t) => {
    const [both, one] = [
      await askingRun(service, ['providera', 'providerb']),
      await askingRun(service, ['providera']),
    ];

    const answer = await both.chat(question('reasoner'));
    t.is(answeredBy(answer), 'providerb');
    t.is((await okBody<Completion>(answer)).model, 'ember/ember-r1');
    const dropped = await one.chat(question('reasoner'));
    const unserved = await refused(t, dropped, '503 PROVIDER_UNAVAILABLE');
    t.false('provider_failed' in unserved);
    t.like(await both.usage(), [{ provider: 'providerb', modelId: 'ember/ember-r1', requests: 1 }]);

    // Dropped since the last look.
    service.providers.providera.set({ dropped: [modelA] });
    t.is(answeredBy(await both.chat(question())), 'providerb');
    await refused(t, await one.chat(question()), '503 PROVIDER_UNAVAILABLE');
    t.is(answeredBy(await one.chat(question('small'))), 'providera');
  },
);

async function eventsOf(answer: Response): Promise<string[]> {
  return (await answer.text()).split('\n\n').filter((event) => event !== '');
}

test.serial('a stream passes chunk by chunk, and ends counted', async (t) => {
  const run = await askingRun(service);
  service.providers.providera.fail({ kind: 'stall', afterChunks: 3 }, 'completions');

  const answer = await run.chat({ ...question(), stream: true });
  t.is(answer.headers.get('content-type'), 'text/event-stream');
  t.is(answeredBy(answer), 'providera');
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (text.split('data: ').length < 4) {
    text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
  }
  // The provider has not ended, and waits.
  t.is(service.providers.providera.counts.open, 1);
  t.deepEqual(await run.usage(), []);
  service.providers.providera.heal();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += Buffer.from(next.value).toString('utf8');
  }
  t.true(text.endsWith('data: [DONE]\n\n'));
  // Nobody asked for it; and yet it is known.
  t.false(text.includes('prompt_tokens'));
  t.like(await run.usage(), [{ requests: 1, failures: 0, completionTokens: 24 }]);

  const asked = { stream: true, stream_options: { include_usage: true } };
  const events = await eventsOf(await run.chat({ ...question(), ...asked }));
  t.regex(events.at(-2) ?? '', /"prompt_tokens":\d+/);
});

test.serial('an agent that leaves ends its request at the provider', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  for (const fault of [{ kind: 'stall', afterChunks: 2 }, { kind: 'hang' }] as const) {
    providera.fail(fault, 'completions');
    const leaving = new AbortController();
    const { aborted: before, requests: sent } = providera.counts;
    const asked = run.chat({ ...question(), stream: true }, { signal: leaving.signal });
    const read = asked.then((answer) => answer.text());
    const isBegun = fault.kind === 'stall';
    if (isBegun) await asked;
    await until(() => (isBegun ? providera.counts.open === 1 : providera.counts.requests > sent));
    leaving.abort();
    await t.throwsAsync(read);
    if (isBegun) await until(() => providera.counts.aborted === before + 1);
    await idle();
  }
  providera.heal();
  await until(async () => (await run.usage())[0]?.requests === 2);
  t.like(await run.usage(), [{ requests: 2, failures: 0 }]);
  // Its places are free again.
  const [one, two] = await Promise.all([run.chat(question()), run.chat(question())]);
  t.deepEqual([one.status, two.status], [200, 200]);
});

for (const who of ['validator', 'miner'] as const) {
  test.serial(`a ban of the ${who} ends the token at once, and the run with it`, async (t) => {
    const run = await askingRun(service);
    const { sql } = service;
    const [row] = await sql<{ hotkey: string }[]>`
      select case ${who} when 'miner' then v.miner_hotkey else r.validator_hotkey end as hotkey
      from evaluation_run r join agent_version v using (agent_version_id)
      where r.eval_run_id = ${run.evalRunId}`;
    const ban = `/v1/admin/hotkeys/${row?.hotkey}/ban`;
    // Its owner, who would cancel the run, does not come to it.
    await holdLock(
      sql,
      (tx) => tx`select from evaluation_run where eval_run_id = ${run.evalRunId} for update`,
      async () => {
        await okBody(await service.operator('PUT', ban, { body: { reason: 'a test of tokens' } }));
        await refused(t, await run.chat(question()), '401 INVALID_SESSION');
      },
    );
    const endReason = `${who.toUpperCase()}_BANNED`;
    await until(async () => {
      const [ended] = await sql<{ status: string; endReason: string | null }[]>`
        select status, end_reason as "endReason" from evaluation_run
        where eval_run_id = ${run.evalRunId}`;
      return ended?.status === 'CANCELLED' && ended.endReason === endReason;
    });
  });
}

test.serial('a slow reader holds the provider up, not the memory of the edge', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  const words = 200_000;
  providera.set({ replyWords: words });

  const answer = await run.chat({ ...question(), stream: true });
  let sent = -1;
  // Everything that lies between them is full when nothing moves any more.
  for (let still = 0; still < 20; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    still = providera.counts.chunksSent === sent ? still + 1 : 0;
    sent = providera.counts.chunksSent;
  }
  t.is(providera.counts.open, 1);
  t.log(`${sent} of ${words} chunks are on their way`);
  t.true(sent < words * 0.6, `${sent}`);
  await answer.body?.cancel();
  await idle();
});

test.serial('a stream that begins in its run may end after it', async (t) => {
  const run = await askingRun(service);
  service.providers.providera.fail({ kind: 'stall', afterChunks: 1 }, 'completions');
  const answer = await run.chat({ ...question(), stream: true });
  await run.end();
  await refused(t, await run.chat(question()), '401 INVALID_SESSION');
  service.providers.providera.heal();

  t.true((await eventsOf(answer)).includes('data: [DONE]'));
  t.like(await run.usage(), [{ requests: 1, failures: 0 }]);
});

test.serial('trouble of the provider is told as its outage, its refusals as its own', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  for (const fault of [{ kind: 'status', status: 500 }, { kind: 'cut' }] as const) {
    providera.fail(fault, 'completions');
    const away = await refused(t, await run.chat(question()), '503 PROVIDER_UNAVAILABLE');
    t.like(away, { provider_failed: true });
    // A success in between: the breaker counts failures in a row.
    providera.heal();
    t.is((await run.chat(question())).status, 200);
  }
  providera.fail({ kind: 'status', status: 429, retryAfterSeconds: 7 }, 'completions');
  const busy = await run.chat(question());
  t.is(busy.status, 429);
  t.is(busy.headers.get('retry-after'), '7');
  t.is(answeredBy(busy), 'providera');
  t.deepEqual(await busy.json(), { error: { message: 'told to fail', code: 429 } });
  for (const [status, told] of [
    [402, 402],
    [418, 400],
  ] as const) {
    providera.fail({ kind: 'status', status }, 'completions');
    t.is((await run.chat(question())).status, told);
  }
  t.like(await run.usage(), [{ requests: 7, failures: 5 }]);
});

test.serial(
  'a run that spent its own cap is told apart from an account without credit',
  async (t) => {
    const run = await askingRun(service, ['providerb']);
    const { providerb } = service.providers;
    const asked = () => run.chat(question(), { provider: 'providerb' });
    providerb.fail({ kind: 'status', status: 402 }, 'completions');
    const poor = await asked();
    t.is(poor.status, 402);
    t.deepEqual(await poor.json(), { error: { message: 'told to fail', code: 402 } });

    providerb.heal();
    providerb.set({ tokenPrice: 1_000 });
    t.is((await asked()).status, 200);
    const { detail } = await refused(t, await asked(), '402 SPEND_LIMIT_REACHED');
    t.regex(detail, /as much as one run may/);
    providerb.fail({ kind: 'status', status: 500 }, 'accounts');
    const untold = (await (await asked()).json()) as object;
    t.false('error_code' in untold, 'where nobody says so it is told as it came');
    t.like(await run.usage(), [{ requests: 4, failures: 3 }]);
  },
);

// Nothing in the question is to be changed; of a conflict who has the account may know more.
for (const [status, isOutage] of [
  [408, true],
  [409, false],
  [425, true],
] as const) {
  test.serial(`a ${status} of the provider is no refusal of what an agent asks`, async (t) => {
    const run = await askingRun(service);
    service.providers.providera.fail({ kind: 'status', status }, 'completions');
    const away = await refused(t, await run.chat(question()), '503 PROVIDER_UNAVAILABLE');
    t.is('provider_failed' in away, isOutage);
    t.like(await run.usage(), [{ requests: 1, failures: 1 }]);
  });
}

test.serial('a key that the provider takes no more is replaced once', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  await run.chat(question());
  const before = providera.counts.keysMade;

  providera.set({
    fault: { fault: { kind: 'status', status: 401 }, scope: 'completions', times: 1 },
  });
  t.is((await run.chat(question())).status, 200);
  t.is(providera.counts.keysMade, before + 1);
  providera.fail({ kind: 'status', status: 401 }, 'completions');
  const keyless = await refused(t, await run.chat(question()), '503 PROVIDER_UNAVAILABLE');
  t.false('provider_failed' in keyless);
  t.is(providera.counts.keysMade, before + 2);
});

test.serial('a credential that is refused later spoils no key that it has lent', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  providera.reject(run.credential);
  t.is((await run.chat(question())).status, 200);
  // With the key it ends.
  providera.set({
    fault: { fault: { kind: 'status', status: 401 }, scope: 'completions', times: 1 },
  });
  await refused(t, await run.chat(question()), '422 CREDENTIAL_REJECTED');
  await refused(t, await run.chat(question()), '422 CREDENTIAL_REJECTED');
});

test.serial('a miner that disconnects ends what its agents may ask', async (t) => {
  const run = await askingRun(service, ['providera', 'providerb']);
  t.is((await run.chat(question())).status, 200);
  await okBody(await run.miner.request('DELETE', '/v1/miner/inference-auth/providera'));
  await refused(t, await run.chat(question()), '404 NOT_CONNECTED');
  t.is(answeredBy(await run.chat(question(), { provider: 'providerb' })), 'providerb');
});

test.serial(
  'a provider that fails in a row gets a rest, and one request tries it again',
  async (t) => {
    const [run, second, third] = [
      await askingRun(service),
      await askingRun(service),
      await askingRun(service),
    ];
    const { providera } = service.providers;
    // A row begins.
    t.is((await run.chat(question())).status, 200);
    providera.fail({ kind: 'status', status: 502 }, 'completions');
    // One agent may ask what is bound to fail, and others are still let through.
    for (const asking of [run, run, run, run, run, run, second, third]) {
      const answer = await asking.chat(question());
      const { detail } = await refused(t, answer, '503 PROVIDER_UNAVAILABLE');
      t.regex(detail, /answers 502/);
    }
    providera.heal();
    const before = providera.counts.completions;
    const resting = await refused(t, await run.chat(question()), '503 PROVIDER_UNAVAILABLE');
    t.regex(resting.detail, /rest/);
    t.like(resting, { provider_failed: true });
    t.is(providera.counts.completions, before);

    await until(async () => (await run.chat(question('small'))).status !== 503);
    t.is((await run.chat(question())).status, 200);
  },
);

test.serial('a run has so many completions at a time, and so many in all', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  providera.fail({ kind: 'stall', afterChunks: 1 }, 'completions');
  const open = await Promise.all([
    run.chat({ ...question(), stream: true }),
    run.chat({ ...question(), stream: true }),
  ]);
  await refused(t, await run.chat(question()), '429 RATE_LIMITED');
  providera.heal();
  await Promise.all(open.map(eventsOf));
  for (let count = 2; count < 12; count++) t.is((await run.chat(question())).status, 200);
  t.like(await run.usage(), [{ requests: 12 }]);

  // It never lifts: a client that waits for it waits until the run is over.
  const [row] = await service.sql<{ claimedAt: Date }[]>`
    select claimed_at as "claimedAt" from evaluation_run where eval_run_id = ${run.evalRunId}`;
  const endMs = (row?.claimedAt.getTime() ?? 0) + runLimitSeconds * 1000;
  const secondsLeft = () => (endMs - Date.now()) / 1000;
  const before = secondsLeft();
  const answer = await run.chat(question());
  const said = Number(answer.headers.get('retry-after'));
  const refusal = await refused(t, answer, '429 RATE_LIMITED');
  t.regex(refusal.detail, /no further one is answered/);
  t.is(refusal['retry_after_seconds'], said);
  t.true(said <= before + 1, `${said} of ${before}`);
  t.true(said >= secondsLeft() - 1, `${said} of ${secondsLeft()}`);
});

test.serial('completions under way keep others waiting, and not for the whole run', async (t) => {
  const run = await askingRun(service);
  const { providera } = service.providers;
  for (let count = 0; count < 11; count++) t.is((await run.chat(question())).status, 200);
  providera.fail({ kind: 'stall', afterChunks: 1 }, 'completions');
  const last = await run.chat({ ...question(), stream: true });

  const answer = await run.chat(question());
  t.true(Number(answer.headers.get('retry-after')) <= 3);
  await refused(t, answer, '429 RATE_LIMITED');
  providera.heal();
  await eventsOf(last);
});

// An agent could otherwise have an edge hold hundreds of large bodies, of which all but a few are refused
// once they are there.
test.serial(
  'a completion has its place before its body comes, and keeps it no longer',
  async (t) => {
    const run = await askingRun(service);
    const text = JSON.stringify(question());
    const announce = (provider = 'providera') =>
      announceBody(`${service.baseUrl}/v1/inference/${provider}/chat/completions`, {
        ...{ headers: { authorization: `Bearer ${run.token}` }, length: 1000 },
      });

    t.like(await announce('nobody'), { status: 404, code: 'UNKNOWN_PROVIDER' });
    const [first, second] = [await announce(), await announce()];
    t.deepEqual([first.status, second.status], [100, 100]);
    t.like(await announce(), { status: 429, code: 'RATE_LIMITED' });

    // One is refused for what it holds, one is answered, and one never comes.
    t.is(await first.finish('{}'), 422);
    t.is(await second.finish(text), 200);
    const [third, fourth] = [await announce(), await announce()];
    t.deepEqual([third.status, fourth.status], [100, 100]);
    third.leave();
    await until(async () => (await run.chat(question())).status === 200);
    t.is(await fourth.finish(text), 200);
    t.like(await run.usage(), [{ requests: 3 }]);
  },
);
