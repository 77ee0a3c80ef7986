import test from 'ava';
import fc from 'fast-check';
import { idsWithin } from '../../../infra/ids/ids.ts';
import type { OwnRun } from '../../support/eval-world.ts';
import { EvalWorld, episode, suiteOf } from '../../support/eval-world.ts';

type Episode = ReturnType<typeof episode>;

/** As edges send them. */
function columnsOf(results: readonly Episode[], packs: readonly string[]) {
  const column = (name: keyof Episode) => results.map((result) => result[name]);
  return {
    envPackSha256: packs.length === 1 ? packs[0] : column('envPackSha256'),
    taskId: column('taskId'),
    episodeResultId: results.map(({ taskId }) => `id of ${taskId}`),
    family: column('family'),
    outcome: column('outcome'),
    verdictCorrect: column('verdictCorrect'),
    verdictChecks: results.map(({ verdictChecks }) => JSON.stringify(verdictChecks)),
    rewardComponents: results.map(({ rewardComponents }) => JSON.stringify(rewardComponents)),
    rewardMicro: column('rewardMicro'),
    wallSeconds: column('wallSeconds'),
    terminalStateHash: column('terminalStateHash'),
    ledgerUri: column('ledgerUri'),
    stepCount: column('stepCount'),
  };
}

function withRun(): { world: EvalWorld; own: OwnRun } {
  const world = new EvalWorld(suiteOf(6));
  world.submit(1);
  return { world, own: world.run('validator') };
}

/** What the database is told of the results, but for their ids and the command's. */
function stored({ decisions }: EvalWorld) {
  const rows = decisions.at(-1)?.changes?.operations['episode_results'] ?? [];
  return rows.map(({ cmd: _, episode_result_id: __, ...row }: Record<string, unknown>) => row);
}

const result = fc
  .record({
    task: fc.integer({ min: 0, max: 6 }),
    wrong: fc.constantFrom<Record<string, unknown>>(
      ...[{}, {}, {}, { family: 'none' }, { envPackSha256: '00'.repeat(32) }],
      ...[{ terminalStateHash: null }, { outcome: 'agent_error' }, { rewardMicro: null }],
      ...[{ verdictCorrect: false }, { ledgerUri: 's3://elsewhere' }],
    ),
  })
  .map(({ task, wrong }) => episode(task, wrong));

test('results in columns are judged and stored as results in rows are', (t) => {
  const property = fc.property(fc.array(result, { minLength: 1, maxLength: 12 }), (results) => {
    const packs = [...new Set(results.map(({ envPackSha256 }) => envPackSha256))];
    const rows = withRun();
    const columns = withRun();

    const items = rows.world.append(rows.own, results);
    const { refusals } = columns.world.ok('append-results', {
      ...columns.own,
      columns: columnsOf(results, packs),
    });

    const refused = items.flatMap(({ status, error }, index) =>
      status === 201 ? [] : [{ index, status, error }],
    );
    t.deepEqual(refusals, refused);
    t.deepEqual(stored(columns.world), stored(rows.world));
    t.deepEqual(columns.world.runState(columns.own), rows.world.runState(rows.own));
  });

  fc.assert(property, { numRuns: 300 });
});

test('counts come with their results, where an edge sends any', (t) => {
  const { world, own } = withRun();
  const results = [episode(0), episode(0), episode(1)];
  const columns = {
    ...columnsOf(results, ['ab'.repeat(32)]),
    ...{ checksPassed: [1, 2, 3], checksFailed: [4, 5, 6] },
    ...{ checksUnknown: [7, 8, 9], componentCount: [10, 11, 12] },
  };

  world.ok('append-results', { ...own, columns });

  t.like(stored(world)[0], {
    ...{ checks_passed: [1, 3], checks_failed: [4, 6] },
    ...{ checks_unknown: [7, 9], component_count: [10, 12] },
  });
});

// Whoever asks for the detail of a race is refused by the run that an id names.
test('results in rows get the ids that results in columns have', (t) => {
  const { world, own } = withRun();
  const results = [episode(0), episode(1)];

  const items = world.append(own, results);

  t.deepEqual(
    items.map(({ episodeResultId }) => episodeResultId),
    results.map(({ taskId }) => idsWithin(own.evalRunId)(taskId)),
  );
});

test('columns in which a value is missing or another than it should be are refused', (t) => {
  const { world, own } = withRun();
  const whole = columnsOf([episode(0), episode(1)], ['ab'.repeat(32)]);
  const many = columnsOf(
    Array.from({ length: 501 }, () => episode(0)),
    ['ab'.repeat(32)],
  );
  const { stepCount: _, ...without } = whole;
  const broken = [
    without,
    many,
    { ...whole, taskId: [] },
    { ...whole, family: ['search'] },
    { ...whole, ledgerUri: [null, undefined] },
    { ...whole, verdictChecks: [{}, {}] },
    { ...whole, wallSeconds: ['1', 2] },
    { ...whole, envPackSha256: null },
    { ...whole, checksPassed: [1] },
    { ...whole, componentCount: [1, null] },
    null,
  ];

  for (const columns of broken) {
    t.is(world.refusal('append-results', { ...own, columns }).code, 'VALIDATION_FAILED');
  }
  t.deepEqual(world.ok('append-results', { ...own, columns: whole }), { refusals: [] });
});
