import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { codesOf } from '../../machines/reasons/reason-kinds.ts';
import { orderedRun, orderedVersion } from '../spec/answers/operator.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, claimPath, evaluate, submit, validators } from '../support/evaluation-client.ts';
import { forgetAnswers } from '../support/forget-answers.ts';
import { holdLock } from '../support/held-lock.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', REQUEST_SECONDS: '4' } });
});
test.after.always(() => service?.stop());

const versionPath = (id: string, order: string) => `/v1/admin/agent-versions/${id}/${order}`;
const runPath = (id: string, order: string) => `/v1/admin/evaluation-runs/${id}/${order}`;
const post = (path: string, body?: object, headers?: Record<string, string>) =>
  service.operator('POST', path, { body, ...(headers && { headers }) });
const statusOf = async (id: string) =>
  okBody<{
    state: string;
    qualifying_score: number | null;
    included_success_count: number;
    timeline: readonly { event: string; detail: string | null }[];
  }>(await service.call('GET', `/v1/public/agent-versions/${id}/status`));
const auditOf = async (object: string) => {
  const rows = await service.sql<{ action: string; reason: string | null }[]>`
    select action, reason from audit_log where object = ${object} order by seq`;
  return rows.map(({ action, reason }) => [action, reason]);
};

async function eligible(t: ExecutionContext, name: string) {
  const suite = await openTrialSuite(service);
  const miner = await service.miner(`${name} miner`);
  const { agent_version_id: versionId } = await submit(miner);
  const [first, second] = await validators(service, name, 2);
  if (first === undefined || second === undefined) throw new Error('two were asked for');
  const { evalRunId } = await evaluate(first, suite, '0.6');
  const { completed } = await evaluate(second, suite, '0.8');
  t.true(completed.agent_version_became_eligible);
  return { suite, versionId, evalRunId, validator: first };
}

test.serial('a run is excluded and included, and the score follows at once', async (t) => {
  const { versionId, evalRunId } = await eligible(t, 'exclude');
  t.is((await statusOf(versionId)).qualifying_score, 0.7);
  const excluded = await post(runPath(evalRunId.toUpperCase(), 'exclude'), { reason: 'odd host' });
  t.like(await shaped(t, orderedRun, excluded), {
    eval_run_id: evalRunId,
    status: 'SUCCESS',
    is_included: false,
  });
  t.is((await statusOf(versionId)).included_success_count, 1);
  t.is((await statusOf(versionId)).qualifying_score, null);
  const included = await shaped(t, orderedRun, await post(runPath(evalRunId, 'include')));
  t.true(included.is_included);
  t.is((await statusOf(versionId)).qualifying_score, 0.7);
  t.deepEqual(await auditOf(`evaluation-run/${evalRunId}`), [
    ['run.exclude', 'odd host'],
    ['run.include', null],
  ]);
});

test.serial('a version is discarded and reinstated', async (t) => {
  const { versionId } = await eligible(t, 'discard');
  const discarded = await post(versionPath(versionId, 'discard'), { reason: 'copied' });
  t.deepEqual(await shaped(t, orderedVersion, discarded), {
    agent_version_id: versionId,
    state: 'DISCARDED',
  });
  t.is((await statusOf(versionId)).state, 'DISCARDED');
  const reinstated = await post(versionPath(versionId, 'reinstate'), { reason: 'it was not' });
  t.is((await shaped(t, orderedVersion, reinstated)).state, 'ELIGIBLE');
  const { state, timeline } = await statusOf(versionId);
  t.is(state, 'ELIGIBLE');
  t.deepEqual(
    timeline.slice(-2).map(({ event, detail }) => [event, detail]),
    [
      ['discarded', 'copied'],
      ['reinstated', null],
    ],
  );
  t.deepEqual(await auditOf(`agent-version/${versionId}`), [
    ['version.discard', 'copied'],
    ['version.reinstate', 'it was not'],
  ]);
});

/** Until every partition has taken the news of it. */
async function ban(hotkey: string): Promise<void> {
  const body = { reason: 'false results' };
  await okBody(await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}/ban`, { body }));
  await until(async () => {
    const untold = await service.sql`
      select from rt.outbox o
      where o.target_kind = 'eval' and o.subject like '%.hotkey-banned' and not exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part and i.msg_id = o.msg_id)`;
    return untold.length === 0;
  });
}

test.serial(
  'what a banned validator found counts no longer in work that opens again',
  async (t) => {
    const { suite, versionId, evalRunId, validator } = await eligible(t, 'opened again');
    await ban(validator.hotkey);
    t.is((await statusOf(versionId)).qualifying_score, 0.7, 'where the work is done it stands');

    const runs = await service.sql<{ evalRunId: string }[]>`
    select eval_run_id as "evalRunId" from evaluation_run
    where agent_version_id = ${versionId} and eval_run_id <> ${evalRunId}`;
    const path = runPath(runs[0]?.evalRunId ?? '', 'exclude');
    t.like(await shaped(t, orderedRun, await post(path, { reason: 'odd host' })), {
      is_included: false,
    });

    t.like(await statusOf(versionId), { included_success_count: 0, qualifying_score: null });
    for (const fresh of await validators(service, 'after the ban', 2)) {
      await evaluate(fresh, suite, '0.2');
    }
    t.is((await statusOf(versionId)).qualifying_score, 0.2);
    const [banned] = await service.sql`
    select exclusion_reason from evaluation_run where eval_run_id = ${evalRunId}`;
    t.is(banned?.['exclusion_reason'], 'VALIDATOR_BANNED');
  },
);

test.serial('a live run is reclaimed and its work offered again', async (t) => {
  await openTrialSuite(service);
  const miner = await service.miner('reclaim miner');
  await submit(miner);
  const [first, second] = await validators(service, 'reclaim', 2);
  if (first === undefined || second === undefined) throw new Error('two were asked for');
  const { eval_run_id: evalRunId } = await claim(first);
  const reason = { reason: 'odd host' };
  const entries = async () =>
    await service.sql`select seq from audit_log where object = ${`evaluation-run/${evalRunId}`}`;
  for (const order of ['exclude', 'include']) {
    await refused(t, await post(runPath(evalRunId, order), reason), '409 RUN_STILL_LIVE');
  }
  t.is((await entries()).length, 0, 'what was refused is no order');
  const reclaimed = await shaped(t, orderedRun, await post(runPath(evalRunId, 'reclaim')));
  t.is(reclaimed.status, 'STALE');
  await refused(t, await post(runPath(evalRunId, 'exclude'), reason), '409 RUN_NOT_SUCCESSFUL');
  const again = await claim(second);
  t.not(again.eval_run_id, evalRunId);
});

test.serial('orders that need a reason have one, and what nobody knows is not found', async (t) => {
  const id = randomUUID();
  for (const path of [
    versionPath(id, 'discard'),
    runPath(id, 'exclude'),
    `/v1/admin/races/${id}/cancel`,
  ]) {
    for (const body of [undefined, {}, { reason: ' ' }, { reason: null }]) {
      t.regex(await invalid(t, await post(path, body)), /^body/, path);
    }
  }
  for (const code of [...codesOf('exclusion_reason'), ' INCOMPLETE ']) {
    const excluded = await post(runPath(id, 'exclude'), { reason: code });
    t.is(await invalid(t, excluded), 'body.reason', code);
  }
  const words = await post(runPath(id, 'exclude'), { reason: 'INCOMPLETE: a host was lost' });
  await refused(t, words, '404 EVAL_RUN_NOT_FOUND');
  const reason = { reason: 'x' };
  for (const order of ['discard', 'reinstate']) {
    await refused(t, await post(versionPath(id, order), reason), '404 AGENT_VERSION_NOT_FOUND');
    t.is(
      await invalid(t, await post(versionPath('no-id', order), reason)),
      'path.agent_version_id',
    );
  }
  for (const order of ['exclude', 'include', 'reclaim']) {
    await refused(t, await post(runPath(id, order), reason), '404 EVAL_RUN_NOT_FOUND');
  }
  for (const order of ['close-qualifying', 'start', 'cancel']) {
    await refused(t, await post(`/v1/admin/races/${id}/${order}`, reason), '404 RACE_NOT_FOUND');
  }
  t.deepEqual(await auditOf(`agent-version/${id}`), []);
});

test.serial('an order under one Idempotency-Key is carried out once', async (t) => {
  const { versionId } = await eligible(t, 'repeat');
  const key = { 'idempotency-key': randomUUID() };
  const discard = (reason: string) => post(versionPath(versionId, 'discard'), { reason }, key);
  const answers = await Promise.all([discard('twice'), discard('twice')]);
  for (const answer of answers) t.is((await shaped(t, orderedVersion, answer)).state, 'DISCARDED');
  await refused(t, await discard('another'), '409 IDEMPOTENCY_CONFLICT');
  await okBody(await post(versionPath(versionId, 'reinstate')));
  // The first answer, which says nothing of how things stand now.
  t.is((await shaped(t, orderedVersion, await discard('twice'))).state, 'DISCARDED');
  t.is((await statusOf(versionId)).state, 'ELIGIBLE');
  t.is((await auditOf(`agent-version/${versionId}`)).length, 2);
});

test.serial(
  'a key that was used a day ago stands for another order, carried out too',
  async (t) => {
    const { versionId } = await eligible(t, 'old key');
    const key = { 'idempotency-key': randomUUID() };
    const discard = () => post(versionPath(versionId, 'discard'), { reason: 'copied' }, key);
    t.is((await shaped(t, orderedVersion, await discard())).state, 'DISCARDED');
    await okBody(await post(versionPath(versionId, 'reinstate')));
    await forgetAnswers(service.sql);

    t.is((await shaped(t, orderedVersion, await discard())).state, 'DISCARDED');

    t.is((await statusOf(versionId)).state, 'DISCARDED');
    await okBody(await post(versionPath(versionId, 'reinstate')));
    t.is((await shaped(t, orderedVersion, await discard())).state, 'DISCARDED');
    t.is((await statusOf(versionId)).state, 'ELIGIBLE', 'a repeat of it is answered what it was');
    t.is((await auditOf(`agent-version/${versionId}`)).length, 4);
  },
);

test.serial('a ban under a key of the day before ends live runs too', async (t) => {
  await openTrialSuite(service);
  await submit(await service.miner('old ban miner'));
  const validator = await service.validator('old ban');
  const path = `/v1/admin/hotkeys/${validator.hotkey}/ban`;
  const headers = { 'idempotency-key': randomUUID() };
  const order = () => service.operator('PUT', path, { body: { reason: 'cheats' }, headers });
  await okBody(await order());
  await okBody(await service.operator('DELETE', path));
  await forgetAnswers(service.sql);
  let claimed = await validator.request('POST', claimPath);
  // Edges remember a ban for a moment.
  await until(async () => {
    if (claimed.status !== 200) claimed = await validator.request('POST', claimPath);
    return claimed.status === 200;
  });
  const { eval_run_id: evalRunId } = await okBody<{ eval_run_id: string }>(claimed);

  await okBody(await order());

  const status = async () =>
    await service.sql<{ status: string }[]>`
      select status from evaluation_run where eval_run_id = ${evalRunId}`;
  await until(async () => (await status())[0]?.status === 'CANCELLED');
  const actions = (await auditOf(`hotkey/${validator.hotkey}`)).map(([action]) => action);
  t.deepEqual(actions, ['registration.set', 'hotkey.ban', 'hotkey.unban', 'hotkey.ban']);
});

test.serial('a rejudging under a key of the day before is another one', async (t) => {
  const { versionId } = await eligible(t, 'old rejudging');
  const headers = { 'idempotency-key': randomUUID() };
  const make = async () => {
    const body = { agent_version_id: versionId, reason: 'doubted' };
    return await okBody<{ rejudging_id: string }>(
      await post('/v1/admin/rejudgings', body, headers),
    );
  };
  const { rejudging_id: first } = await make();
  t.is((await make()).rejudging_id, first);
  await okBody(await post(`/v1/admin/rejudgings/${first}/cancel`, { reason: 'of another day' }));
  await forgetAnswers(service.sql);

  const { rejudging_id: second } = await make();

  t.not(second, first);
  t.is((await make()).rejudging_id, second);
});

test.serial('two orders at once are both carried out, one after the other', async (t) => {
  const { versionId, evalRunId } = await eligible(t, 'at once');
  const [excluded, discarded] = await Promise.all([
    post(runPath(evalRunId, 'exclude'), { reason: 'one' }),
    post(versionPath(versionId, 'discard'), { reason: 'two' }),
  ]);
  t.false((await shaped(t, orderedRun, excluded)).is_included);
  t.is((await shaped(t, orderedVersion, discarded)).state, 'DISCARDED');
});

test.serial('an order to an actor that cannot commit is kept until it can', async (t) => {
  const { versionId } = await eligible(t, 'away');
  const key = { 'idempotency-key': randomUUID() };
  const discard = () => post(versionPath(versionId, 'discard'), { reason: 'later' }, key);
  const part = evalPartitionOf(versionId);
  await holdLock(
    service.sql,
    (tx) => tx`select 1 from rt.partition where kind = 'eval' and part = ${part} for update`,
    async () => {
      await refused(t, await discard(), '503 OUTCOME_UNKNOWN');
    },
  );
  t.deepEqual(await auditOf(`agent-version/${versionId}`), [['version.discard', 'later']]);
  await until(async () => (await statusOf(versionId)).state === 'DISCARDED');
  t.is((await shaped(t, orderedVersion, await discard())).state, 'DISCARDED');
  t.is((await auditOf(`agent-version/${versionId}`)).length, 1);
});

interface Parked {
  readonly total: number;
  readonly parked_messages: readonly { readonly msg_id: string }[];
}

const parked = async () =>
  await okBody<Parked>(await service.operator('GET', '/v1/admin/parked-messages'));

/** A discard that its actor parks before it is carried out, as its caller is told. */
async function parkedDiscard(t: ExecutionContext, name: string) {
  const { versionId } = await eligible(t, name);
  const part = evalPartitionOf(versionId);
  const subject = `evt.eval.${part}.discard-version`;
  const headers = { 'idempotency-key': randomUUID() };
  const discard = () => post(versionPath(versionId, 'discard'), { reason: 'x' }, headers);
  await holdLock(
    service.sql,
    (tx) => tx`select 1 from rt.partition where kind = 'eval' and part = ${part} for update`,
    async () => {
      const ordered = discard();
      let sent: { msgId: string; subject: string } | undefined;
      await until(async () => {
        [sent] = await service.sql<{ msgId: string; subject: string }[]>`
          select msg_id as "msgId", subject from rt.outbox where subject = ${subject}`;
        return sent !== undefined;
      });
      const message = { ...sent, headers: {}, body: '{}', error: 'failed too often' };
      await service.sql`
        select rt.park('eval', ${part}, 'evt', ${JSON.stringify(message)}::text::jsonb)`;
      const { detail } = await refused(t, await ordered, '409 ORDER_PARKED');
      t.true(detail.includes(`the parked message ${sent?.msgId}: it is not carried out`), detail);
    },
  );
  return { versionId, part, discard };
}

test.serial('an order that its actor set aside says so, until it is sent again', async (t) => {
  const { versionId, part, discard } = await parkedDiscard(t, 'set aside');
  await refused(t, await discard(), '409 ORDER_PARKED');
  t.is((await statusOf(versionId)).state, 'ELIGIBLE');
  const waiting = () => service.sql`
    select 1 from rt.outbox where subject = ${`evt.eval.${part}.discard-version`}`;
  await until(async () => (await waiting()).length === 0);

  const [message] = (await parked()).parked_messages;
  const path = `/v1/admin/parked-messages/${message?.msg_id}/resend`;
  t.like(await okBody(await post(path, { reason: 'it is repaired' })), {
    msg_id: message?.msg_id,
    subject: `evt.eval.${part}.discard-version`,
  });

  await until(async () => (await statusOf(versionId)).state === 'DISCARDED');
  // A repeat of the order is told what came of it, as if it had never been set aside.
  t.is((await shaped(t, orderedVersion, await discard())).state, 'DISCARDED');
  t.deepEqual(await auditOf(`message/${message?.msg_id}`), [['message.resend', 'it is repaired']]);
  t.is((await parked()).total, 0);
  await until(async () => (await waiting()).length === 0);
  await refused(t, await post(path), '404 PARKED_MESSAGE_NOT_FOUND');
});

test.serial(
  'an order whose parked message was dropped says that it never will be carried out',
  async (t) => {
    const { versionId, discard } = await parkedDiscard(t, 'dropped');
    const [message] = (await parked()).parked_messages;
    const reason = 'nobody needs it';
    await okBody(await post(`/v1/admin/parked-messages/${message?.msg_id}/drop`, { reason }));

    const { detail } = await refused(t, await discard(), '409 ORDER_DROPPED');
    t.regex(detail, /never will be carried out\. .* under a new Idempotency-Key\.$/);
    t.is((await statusOf(versionId)).state, 'ELIGIBLE');
    const anew = await post(versionPath(versionId, 'discard'), { reason });
    t.is((await shaped(t, orderedVersion, anew)).state, 'DISCARDED');
  },
);
