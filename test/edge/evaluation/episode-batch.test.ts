import test from 'ava';
import { appendBatch } from '../../../apps/edge/evaluation/episode-batch.ts';
import type { CommandBus, OutgoingCommand } from '../../../infra/ports/bus.ts';
import { Fault } from '../../../machines/fault.ts';

const place = { part: 7, agentVersionId: '0b9e8f52-0000-5222-8333-123456789abc' };
const runs = { find: async () => place, locate: async () => place, learn: () => undefined };

function item(taskId: string, run = '0b9e8f52-1111-5222-8333-123456789abc') {
  return {
    eval_run_id: run,
    env_pack_sha256: 'ab'.repeat(32),
    task_id: taskId,
    family: 'cart',
    outcome: 'completed',
    verdict_correct: true,
    verdict_checks: { total: 'passed' },
    reward_components: {},
    aggregate_reward: '1',
    wall_seconds: null,
    terminal_state_hash: 'cd'.repeat(32),
    ledger_uri: null,
    step_count: 1,
  };
}

/** An edge before an owner that answers so. */
function edge(answer: (command: OutgoingCommand) => unknown) {
  const asked: OutgoingCommand[] = [];
  const bus: CommandBus = {
    command: async (_target, command) => {
      asked.push(command);
      return answer(command);
    },
    call: async () => undefined,
  };
  const deps = { bus, runs, validatorHotkey: 'validator', commandId: 'c0'.repeat(32) };
  return { asked, send: (items: readonly unknown[]) => appendBatch(items, deps) };
}

test('an owner of the version before is sent the rows that it knows', async (t) => {
  const id = '0b9e8f52-2222-5222-8333-123456789abc';
  const { asked, send } = edge(({ body }) => {
    if (!('results' in (body as object))) throw new Fault('VALIDATION_FAILED', 'results: missing');
    return {
      items: [
        { status: 201, episodeResultId: id, error: null },
        { status: 409, episodeResultId: null, error: 'stored' },
      ],
    };
  });

  const answers = await send([item('one'), item('two')]);

  t.deepEqual(
    answers.map(({ status, episode_result_id }) => [status, episode_result_id]),
    [
      [201, id],
      [409, null],
    ],
  );
  t.is(asked.length, 2);
  t.not(asked[0]?.id, asked[1]?.id, 'an answer to columns is none to rows');
});

test('a refusal of another kind is told as it is', async (t) => {
  const { asked, send } = edge(() => {
    throw new Fault('OVERLOADED', 'too many requests are waiting');
  });

  await t.throwsAsync(send([item('one')]), { instanceOf: Fault, message: /too many/ });
  t.is(asked.length, 1);
});

test('a result has the same id in whichever batch it is sent', async (t) => {
  const { send } = edge(() => ({ refusals: [] }));
  const idsOf = async (...items: readonly object[]) =>
    (await send(items)).map(({ episode_result_id }) => episode_result_id);

  const [one, two] = await idsOf(item('one'), item('two'));

  t.deepEqual(await idsOf(item('two')), [two ?? null]);
  t.deepEqual(await idsOf(item('two'), item('one')), [two ?? null, one ?? null]);
  const elsewhere = await idsOf(item('one', '0b9e8f52-3333-5222-8333-123456789abc'));
  t.is(new Set([one, two, ...elsewhere]).size, 3);
});

// A comparison with it throws, and an item that nobody can read refuses itself alone.
test('an item with an object that has an odd length is refused alone', async (t) => {
  const { send } = edge(() => ({ refusals: [] }));
  const odd = { length: { toString: 1, valueOf: 1 } };

  const answers = await send([{ ...item('one'), task_id: odd }, item('two')]);

  t.deepEqual(
    answers.map(({ status }) => status),
    [422, 201],
  );
});

test('the chunks of a run are commands of their own, so that each of them is stored', async (t) => {
  const stored: string[] = [];
  const { asked, send } = edge(({ id, body }) => {
    // What an owner has answered under an id, it answers again and does nothing.
    const isRepeat = asked.filter((command) => command.id === id).length > 1;
    if (!isRepeat) stored.push(...(body as { columns: { taskId: string[] } }).columns.taskId);
    return { refusals: [] };
  });
  const names = ['one', 'two', 'three', 'four', 'five'];
  // Two of them fit into one chunk.
  const components = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`${'component '.repeat(8)}${at}`, '0.5']),
  );
  const batch = names.map((name) => ({ ...item(name), reward_components: components }));

  const answers = await send(batch);

  t.true(asked.length > 1, 'they are several chunks');
  t.is(new Set(asked.map(({ id }) => id)).size, asked.length);
  t.deepEqual(stored, names);
  t.deepEqual(
    answers.map(({ status }) => status),
    names.map(() => 201),
  );
  const ids = asked.map(({ id }) => id);
  await send(batch);
  t.deepEqual(
    asked.slice(ids.length).map(({ id }) => id),
    ids,
    'a repeat of the request repeats its commands',
  );
});
