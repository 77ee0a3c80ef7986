import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Refusal } from '../../../apps/cli/client/refusal.ts';
import type { ExitCode } from '../../../apps/cli/exit-code.ts';
import type { OperatorRoute } from '../../../apps/cli/operator/operator-route.ts';
import { requestOf } from '../../../apps/cli/operator/request-of.ts';
import { UsageError } from '../../../apps/cli/usage-error.ts';
import { statusByCode } from '../../../apps/edge/faults.ts';
import type { FaultCode } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { answeredLine, lineAt } from '../../support/answered-line.ts';

const idOf = (last: number) => `019a0000-0000-7000-8000-00000000000${last}`;
const agent = (agent_name: string, last: number) => ({
  ...{ agent_name, agent_id: idOf(last) },
  latest_version: { agent_version_id: idOf(last) },
});

/** A whole line, and all that its service was asked for, in order. */
async function asked(answers: Readonly<Record<string, unknown>>, ...args: readonly string[]) {
  const requests: [name: string, request: unknown][] = [];
  const client = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      async (request: unknown) => {
        requests.push([name, request]);
        return answer;
      },
    ]),
  );
  return { requests, ...(await lineAt({ client: client as never }, ...args)) };
}

async function fileOf(t: ExecutionContext, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-orders-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'agent.py');
  await writeFile(path, code);
  return path;
}

test('who has two agents submits to none before saying to which', async (t) => {
  const path = await fileOf(t, 'x = 1\n');
  const answers = {
    getMinerAgents: { agents: [agent('first', 1), agent('second', 2)] },
    postMinerSubmit: { agent_version_id: idOf(3), next_allowed_at: '2026-11-25T20:00:00.000Z' },
  };
  const { code, error, requests } = await asked(answers, 'submit', path);

  t.is(code, 2);
  t.is(error, 'paddock: you have 2 agents (first, second): say which with --name NAME\n');
  t.deepEqual(requests, [['getMinerAgents', undefined]]);
  const named = await asked(answers, 'submit', path, '--name', 'second');
  t.is(named.code, 0, named.error);
  t.like(named.requests.at(-1)?.[1], { body: { agent_name: 'second' } });
});

test('an agent is meant by its whole name', async (t) => {
  const answers = {
    getMinerAgents: { agents: [agent('mine-too', 1), agent('mine', 2)] },
    putMinerRaceSelection: { racing_agent_version_id: idOf(2) },
  };
  const { requests } = await asked(answers, 'pin', 'mine');
  t.deepEqual(requests.at(-1), ['putMinerRaceSelection', { body: { agent_version_id: idOf(2) } }]);

  const other = await asked(answers, 'pin', 'min');
  t.is(other.code, 4);
  t.is(other.requests.length, 1, 'nothing was pinned');
});

test('what is asked for of a list is what the service is asked for', async (t) => {
  const { requests } = await asked(
    { getPublicRacesHistory: { races: [] } },
    'races',
    '--limit',
    '7',
  );
  t.deepEqual(requests, [['getPublicRacesHistory', { limit: 7 }]]);

  const board = {
    getPublicTop: { top_agent_version_id: null, challenge_threshold: null },
    getPublicTopMinerPayout: {},
    getPublicLeaderboard: { entries: [], total: 0 },
  };
  const search = ['--score', 'race', '--limit', '9', '--search', 'x'];
  const top = await asked(board, 'top', ...search);
  t.deepEqual(top.requests.at(-1)?.[1], { limit: 9, score_type: 'race', q: 'x' });
});

test('an empty credential is no order', async (t) => {
  for (const word of ['set', 'rotate']) {
    const answer = { provider: 'providera', connected: true };
    const requests: unknown[] = [];
    const order = async (request: unknown) => {
      requests.push(request);
      return answer;
    };
    const client = { postMinerInferenceAuthByProvider: order, postMinerInferenceAuthRotate: order };
    const { code, error } = await lineAt(
      {
        client: client as never,
        environment: { home: '/', keyPassword: undefined, credential: undefined },
        asking: { hidden: async () => '', everything: async () => new Uint8Array() },
      },
      ...['credentials', word, 'providera'],
    );
    t.is(code, 2);
    t.is(error, 'paddock: the credential is empty\n');
    t.deepEqual(requests, []);
  }
});

const exits: readonly (readonly [FaultCode, ExitCode])[] = [
  ['MISSING_CREDENTIALS', 3],
  ['INVALID_SESSION', 3],
  ['BANNED', 3],
  ['WRONG_ROLE', 3],
  ['NOT_PINNABLE', 1],
  ['AGENT_VERSION_NOT_FOUND', 4],
  ['RACE_NOT_FOUND', 4],
  ['RACE_IN_FLIGHT', 5],
  ['ARTIFACT_NOT_RELEASED', 4],
  ['COOLDOWN_ACTIVE', 5],
  ['RATE_LIMITED', 5],
  ['OVERLOADED', 5],
  ['STORE_UNAVAILABLE', 5],
  ['INTERNAL_ERROR', 5],
];

for (const [code, expected] of exits) {
  test(`a script hears by the exit code ${expected} that it was ${code}`, async (t) => {
    const { message: detail } = refusal(code);
    const answer = { status: statusByCode[code], headers: new Headers() };
    const failure = new Refusal('GET /v1/x', answer, { detail, error_code: code });
    for (const more of [[], ['--json']]) {
      const told = await answeredLine({ getPublicRacesHistory: failure }, 'races', ...more);
      t.is(told.code, expected, told.error);
    }
  });
}

const route: OperatorRoute = {
  ...{ method: 'POST', path: '/x', says: 'x', body: 'json', takesKey: false },
  fields: [
    { name: 'limit', in: 'query', type: 'number', isRequired: false },
    { name: 'share', in: 'body', type: 'number', isRequired: false },
    { name: 'is_open', in: 'body', type: 'boolean', isRequired: false },
    { name: 'kinds', in: 'body', type: 'json', isRequired: false },
    { name: 'reason', in: 'body', type: 'text', isRequired: true },
  ],
};

function requested(options: Readonly<Record<string, string>>, fromFile: object = {}) {
  const asked = { text: (name: string) => options[name] } as Parameters<typeof requestOf>[1];
  return requestOf(route, asked, { ...fromFile });
}

test('what an operator types is what is sent: numbers, lists, nothing, and words', (t) => {
  const reason = 'null';
  t.deepEqual(requested({ limit: '5', share: '-0.5', 'is-open': 'false', reason }), {
    limit: 5,
    body: { share: -0.5, is_open: false, reason },
  });
  t.deepEqual(
    requested({ kinds: 'race-opened, race-closed ,top-changed', share: 'null', reason }),
    {
      body: { kinds: ['race-opened', 'race-closed', 'top-changed'], share: null, reason },
    },
  );
  t.deepEqual(requested({ kinds: ' [{"a": 1}]', reason }), { body: { kinds: [{ a: 1 }], reason } });
  // The line goes before the file, and fills what is not in it.
  t.deepEqual(requested({ share: '2' }, { share: 1, is_open: true, reason: 'why' }), {
    body: { share: 2, is_open: true, reason: 'why' },
  });
  for (const wrong of [
    {},
    { reason, share: '1e3' },
    { reason, 'is-open': 'yes' },
    { reason, kinds: '[' },
  ]) {
    t.throws(() => requested(wrong), { instanceOf: UsageError }, JSON.stringify(wrong));
  }
});
