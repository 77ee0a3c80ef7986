import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Similarity, similarities, similarity } from '../spec/answers/similarity.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, submit } from '../support/evaluation-client.ts';
import { holdLock } from '../support/held-lock.ts';
import { disguised, program, textOf } from '../support/python-programs.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0' } });
  await openTrialSuite(service);
});
test.after.always(() => service?.stop());

const [original, other, third] = fc
  .sample(program(4), { numRuns: 3, seed: 2 })
  .map((made) => `${textOf(made)}\n\n${agentCode}`);
if (!(original && other && third)) throw new Error('three were asked for');

const submitted = async (miner: TestKey, file: string) =>
  (await submit(miner, { file })).agent_version_id;

const path = (id: string) => `/v1/admin/agent-versions/${id}/similarity`;
const show = async (t: ExecutionContext, id: string) =>
  await shaped(t, similarity, await service.operator('GET', path(id)));
const list = async (t: ExecutionContext, query = '') =>
  await shaped(t, similarities, await service.operator('GET', `/v1/admin/similarity${query}`));

async function reported(t: ExecutionContext, id: string): Promise<Similarity> {
  await until(async () => {
    const answer = await service.operator('GET', path(id));
    return ((await answer.json()) as Similarity).state === 'REPORTED';
  });
  return await show(t, id);
}

test.serial('an operator sees who copied whom, and where', async (t) => {
  const [victim, thief, honest] = await Promise.all(
    ['victim', 'thief', 'honest'].map((name) => service.miner(name)),
  );
  if (!(victim && thief && honest)) return t.fail();
  const first = await submitted(victim, original);
  const copy = await submitted(thief, disguised(original));
  const own = await submitted(honest, other);
  const next = await submitted(victim, `${original}\nLATER = 1\n`);

  const found = await reported(t, copy);
  t.is(found.verdict, 'copy');
  t.is(found.miner_hotkey, thief.hotkey);
  const [match] = found.matches;
  t.is(match?.agent_version_id, first);
  t.is(match?.miner_hotkey, victim.hotkey);
  t.is(match?.relation, 'OTHER');
  t.deepEqual([match?.share, match?.is_same_file, match?.was_public], [1, false, false]);
  t.true((match?.passages.length ?? 0) > 0);
  t.true(Date.parse(match?.submitted_at ?? '') <= Date.parse(found.submitted_at));

  const innocent = await reported(t, next);
  t.is(innocent.verdict, 'clean');
  t.deepEqual(
    innocent.matches.filter(({ verdict }) => verdict !== 'clean'),
    [],
  );
  t.true(
    innocent.matches.some((each) => each.relation === 'OWN' && each.agent_version_id === first),
  );
  for (const id of [first, own]) t.is((await reported(t, id)).verdict, 'clean');
});

test.serial('the list is newest first and by verdict', async (t) => {
  const copies = await list(t, '?verdict=copy');
  const [copy] = copies.reports;
  t.is(copies.total, 1);
  t.is(copy?.verdict, 'copy');
  t.deepEqual((await show(t, copy?.agent_version_id ?? '')).reasons, copy?.reasons);

  const all = await list(t);
  t.is(all.total, 4);
  const instants = all.reports.map(({ submitted_at: at }) => Date.parse(at));
  t.deepEqual(
    instants,
    instants.toSorted((left, right) => right - left),
  );
  const second = await list(t, '?limit=1&offset=1');
  t.deepEqual(second.reports, all.reports.slice(1, 2));
  t.is((await list(t, '?verdict=suspicious')).total, 0);
});

test.serial('a report is pending until it is made, and none refuses a submission', async (t) => {
  const miner = await service.miner('pending');
  let id = '';
  // The one lock that keeps every coordinator from taking new versions in.
  await holdLock(
    service.sql,
    (tx) => tx`select pg_advisory_xact_lock(7220419)`,
    async () => {
      id = await submitted(miner, original);
      const before = await show(t, id);
      t.deepEqual([before.state, before.verdict, before.matches], ['PENDING', null, []]);
    },
  );

  const after = await reported(t, id);
  t.is(after.verdict, 'copy');
  t.true(after.reasons.includes('SAME_FILE'));
});

test.serial('a copied version that was discarded since, or banned, still counts', async (t) => {
  const [gone, late] = await Promise.all(['gone', 'late'].map((name) => service.miner(name)));
  if (!(gone && late)) return t.fail();
  const first = await submitted(gone, third);
  const reason = { body: { reason: 'test' } };
  for (const [method, target] of [
    ['POST', `/v1/admin/agent-versions/${first}/discard`],
    ['PUT', `/v1/admin/hotkeys/${gone.hotkey}/ban`],
  ] as const) {
    t.is((await service.operator(method, target, reason)).status, 200);
  }

  const found = await reported(t, await submitted(late, disguised(third)));

  t.deepEqual([found.verdict, found.matches[0]?.agent_version_id], ['copy', first]);
});

test.serial('what nobody submitted has no report, and no verdict but three', async (t) => {
  const answer = await service.operator('GET', path(randomUUID()));
  await refused(t, answer, '404 AGENT_VERSION_NOT_FOUND');
  const list = await service.operator('GET', '/v1/admin/similarity?verdict=COPY');
  t.is(await invalid(t, list), 'query.verdict');
});

test.serial('nobody else is told', async (t) => {
  const { agent_version_id: id = '' } = (await list(t)).reports[0] ?? {};
  const miner = await service.miner('curious');
  for (const target of [path(id), '/v1/admin/similarity']) {
    t.is((await service.call('GET', target)).status, 401);
    t.true([401, 403].includes((await miner.request('GET', target)).status));
  }
});
