import { randomUUID } from 'node:crypto';
import { sha256Hex } from '../../infra/ids/ids.ts';
import type { ServiceDoor } from '../support/edge.ts';
import { caller as callerAt, type TestKey } from '../support/edge-client.ts';
import { claim, complete, episode, sendResults, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite, trialTasks, uploadPack } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import type { CellCaller, CellObject, ObjectsByOwner } from './cells.ts';

/** Miner and validator A, whose objects all others try to reach, and all who try. */
export interface CellWorld {
  readonly callers: readonly CellCaller[];
  readonly objects: ObjectsByOwner;
  readonly people: People;
}

interface People {
  readonly minerA: TestKey;
  readonly minerB: TestKey;
  readonly validatorA: TestKey;
  readonly validatorB: TestKey;
}

export async function openCellWorld(service: ServiceDoor): Promise<CellWorld> {
  const suite = await openTrialSuite(service);
  const minerA = await service.miner('cells-miner-a');
  const credential = { credential: 'demo-cells-miner-a' };
  await okBody(await minerA.post('/v1/miner/inference-auth/providera', credential));
  const submitted = await submit(minerA);
  const minerB = await service.miner('cells-miner-b');
  const validatorA = await service.validator('cells-validator-a');
  const validatorB = await service.validator('cells-validator-b');
  const people = { minerA, minerB, validatorA, validatorB };
  const run = await claimed(validatorA);
  const other = await claimed(validatorB);
  const [task] = suite.tasks;
  if (task === undefined) throw new Error('the suite has tasks');
  const pack_sha256 = suite.packSha256 ?? '';
  const [stored] = (await sendResults(validatorA, [episode(run.id, { suite, task })])).results;
  await complete(validatorB, other.id, { terminal_status: 'FAILED', failure_class: 'AGENT' });
  const race = await okBody<{ race_id: string }>(
    await service.call('GET', '/v1/public/races/current'),
  );
  const idle = await uploadPack(service, trialTasks(2));
  const own = {
    pack_sha256,
    eval_run_id: run.id,
    problem_id: run.problemId,
    task_id: task.task_id,
  };
  const version = { agent_version_id: submitted.agent_version_id };
  const sealed = {
    ...{ ...version, eval_run_id: run.id, problem_id: run.problemId, race_id: race.race_id },
    episode_result_id: stored?.episode_result_id ?? '',
  };
  const object = (name: string, openTo: string, ids: CellObject['ids'] = {}) => ({
    name,
    openTo,
    ids,
  });
  const nowhere = object('one that is not', 'nobody');
  return {
    people,
    callers: await everyCaller(service, {
      ...{ ...people, runToken: run.token, endedToken: other.token },
    }),
    objects: {
      agent: [object("A's agent", 'miner A', { agent_id: submitted.agent_id }), nowhere],
      version: [object("A's version", 'miner A', version), nowhere],
      run: [
        object("A's live run", 'validator A', own),
        object("B's ended run", 'validator B', { ...own, eval_run_id: other.id }),
        nowhere,
      ],
      pack: [
        object('the pack in use', 'everybody', { pack_sha256 }),
        object('a pack of no work', 'nobody', { pack_sha256: idle }),
        nowhere,
      ],
      race: [
        object('a race without a run of theirs', 'nobody', { race_id: race.race_id }),
        nowhere,
      ],
      release: [
        ...['AGENT_CODE', 'EVAL_LOGS_BUNDLE', 'EVAL_PROBLEM_LOGS', 'EPISODE'].map((artifact_type) =>
          object(`an unreleased ${artifact_type}`, 'nobody', { ...sealed, artifact_type }),
        ),
        object('one that is not', 'nobody', { artifact_type: 'AGENT_CODE' }),
      ],
    },
  };
}

interface ClaimedRun {
  readonly id: string;
  readonly problemId: string;
  readonly token: string;
}

async function claimed(validator: TestKey): Promise<ClaimedRun> {
  const run = await claim(validator);
  const { inference_token } = run as unknown as {
    inference_token: { access_token: string } | null;
  };
  const path = `/v1/validator/evaluation-runs/${run.eval_run_id}/problems`;
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
    await validator.get(path),
  );
  return {
    id: run.eval_run_id,
    problemId: problems[0]?.problem_id ?? '',
    token: inference_token?.access_token ?? '',
  };
}

interface KnownPeople extends People {
  readonly runToken: string;
  readonly endedToken: string;
}

async function everyCaller(
  service: ServiceDoor,
  known: KnownPeople,
): Promise<readonly CellCaller[]> {
  const { minerA, minerB, validatorA, validatorB } = known;
  const gone = await outcasts(service);
  const named = (name: string, key: TestKey, role?: 'miner' | 'validator'): CellCaller => ({
    ...{ name: `${name}, signing`, role, party: name, headers: () => key.headers() },
  });
  const bearer = (name: string, token: string, may: Partial<CellCaller> = {}): CellCaller => ({
    ...{ name, role: undefined, party: name, ...may },
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
  const inSession = async (party: string, key: TestKey, role: 'miner' | 'validator') =>
    bearer(`${party}, in a session`, await key.openSession(), { role, party });
  const { operatorToken } = service;
  return [
    { name: 'nobody', role: undefined, party: 'nobody in particular', headers: () => ({}) },
    named('miner A', minerA, 'miner'),
    named('miner B', minerB, 'miner'),
    named('validator A', validatorA, 'validator'),
    named('validator B', validatorB, 'validator'),
    named('an unregistered key', service.stranger('cells-stranger')),
    await inSession('miner A', minerA, 'miner'),
    await inSession('miner B', minerB, 'miner'),
    await inSession('validator A', validatorA, 'validator'),
    await inSession('validator B', validatorB, 'validator'),
    ...gone.flatMap(({ name, key, token }) => [
      named(name, key),
      bearer(`${name}, in a session`, token),
    ]),
    bearer('a session that was ended', await endedSession(service, minerB)),
    bearer('a session that is over', await expiredSession(service, validatorB)),
    bearer('the operator', operatorToken, { role: 'operator' }),
    bearer('the run', known.runToken, { role: 'run' }),
    bearer('a run that ended', known.endedToken),
    bearer('a token of nobody', `ses_${sha256Hex(randomUUID())}`),
    bearer('a run token of nobody', `inf_${sha256Hex(randomUUID())}`),
    {
      ...bearer('the operator beside signed headers', operatorToken, { role: 'operator' }),
      headers: () => ({ ...validatorA.headers(), authorization: `Bearer ${operatorToken}` }),
    },
    {
      ...bearer('a session as the password of another scheme', ''),
      headers: () => ({ authorization: `Basic ${btoa(`operator:${operatorToken}`)}` }),
    },
  ];
}

interface Outcast {
  readonly name: string;
  readonly key: TestKey;
  readonly token: string;
}

/** Banned and deregistered, each with a session from before; known to every edge. */
async function outcasts(service: ServiceDoor): Promise<readonly Outcast[]> {
  const keys = [
    ['a banned miner', await service.miner('cells-banned-miner')],
    ['a banned validator', await service.validator('cells-banned-validator')],
    ['a deregistered miner', await service.miner('cells-gone-miner')],
    ['a deregistered validator', await service.validator('cells-gone-validator')],
  ] as const;
  const found: Outcast[] = [];
  for (const [name, key] of keys) found.push({ name, key, token: await key.openSession() });
  for (const { name, key } of found) {
    if (name.startsWith('a banned')) {
      const path = `/v1/admin/hotkeys/${key.hotkey}/ban`;
      await okBody(await service.operator('PUT', path, { body: { reason: 'it lied' } }));
    } else await deregister(service, key);
  }
  for (const { name, key } of found) {
    const path = name.endsWith('miner') ? '/v1/miner/agents' : '/v1/validator/weight-salt';
    for (const call of service.baseUrls.map(callerAt)) {
      const isOut = async () => {
        const { status } = await call('GET', path, { headers: key.headers() });
        return status === 403 || status === 401;
      };
      await until(isOut);
    }
  }
  return found;
}

/** By each edge once: the one that is told forgets what it knows of the key at once. */
async function deregister(service: ServiceDoor, { hotkey }: TestKey): Promise<void> {
  const headers = { authorization: `Bearer ${service.operatorToken}` };
  for (const call of service.baseUrls.map(callerAt)) {
    await okBody(await call('DELETE', `/v1/admin/chain/registrations/${hotkey}`, { headers }));
  }
}

async function endedSession(service: ServiceDoor, key: TestKey): Promise<string> {
  const token = await key.openSession();
  const headers = { authorization: `Bearer ${token}` };
  await okBody(await service.call('POST', '/v1/auth/logout', { headers }));
  return token;
}

async function expiredSession(service: ServiceDoor, key: TestKey): Promise<string> {
  const token = await key.openSession();
  await service.sql`
    update session set expires_at = rt.clock() - interval '1 second'
    where token_sha256 = ${sha256Hex(token)}`;
  return token;
}
