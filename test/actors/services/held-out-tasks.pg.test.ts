import test, { type ExecutionContext } from 'ava';
import { Fault } from '../../../machines/fault.ts';
import {
  type DeskTask,
  deskTasks,
  openOperatorDesk,
  packSha256,
} from '../../support/operator-desk.ts';
import { addRace } from '../../support/trial-races.ts';

const rebuilt = 'cd'.repeat(32);

/** Draws four qualifying tasks of twelve unless told otherwise. */
async function openSuites(t: ExecutionContext) {
  const desk = await openOperatorDesk(t);
  await desk.register();
  const create = async (fields: object = {}) => {
    const asked = { executionKind: 'envpack', envPackSha256: packSha256, problems: [], ...fields };
    const request = { documentSha256: desk.suite(asked), reason: null };
    return (await desk.service['create-suite'](request, desk.command())).suiteId;
  };
  const activate = (suiteId: number) =>
    desk.service['activate-suite']({ suiteId, reason: null }, desk.command());
  const shown = async (suiteId: number) => {
    const rows = await desk.admin<{ taskId: string }[]>`
      select task_id as "taskId" from suite_problem where suite_id = ${suiteId} order by ordinal`;
    return rows.map(({ taskId }) => taskId);
  };
  const refused = async (fields: object) =>
    (await t.throwsAsync(() => create(fields), { instanceOf: Fault }))?.code;
  return { ...desk, create, activate, shown, refused };
}

test('a second suite of a pack shows the tasks that the first shows', async (t) => {
  const { create, activate, shown } = await openSuites(t);
  const first = await create();
  await activate(first);
  t.deepEqual(await shown(await create()), await shown(first));
  t.is((await shown(first)).length, 4);
});

test('what was named for one suite of a pack is drawn first for the next', async (t) => {
  const { create, activate, shown } = await openSuites(t);
  const first = await create({ qualifyingTaskIds: ['task-3', 'task-2'] });
  const early = await shown(await create());
  t.is(early.length, 4);
  t.true(['task-2', 'task-3'].every((taskId) => early.includes(taskId)));
  await activate(first);
  const late = await shown(await create());
  t.deepEqual(late, early);
});

test('a suite that races keeps its held-out tasks, and the next has fewer to show', async (t) => {
  const { create, activate, shown } = await openSuites(t);
  await activate(await create({ qualifyingTaskIds: ['task-3', 'task-2'] }));
  t.deepEqual(await shown(await create()), ['task-2', 'task-3']);
});

test('a task that a racing suite holds out is shown by no other', async (t) => {
  const { admin, create, activate, shown, refused } = await openSuites(t);
  const names = { qualifyingTaskIds: ['task-0', 'task-1', 'task-2'] };
  const first = await create({ qualifyingTaskIds: ['task-0', 'task-1'] });
  await activate(first);
  t.is(await refused(names), 'TASK_HELD_OUT');
  t.is((await admin`select 1 from suite`).length, 1);
  t.is((await admin`select 1 from suite_problem`).length, 2);

  await activate(await create({ qualifyingTaskIds: ['task-0'] }));
  // The pack of an active suite is held out as a whole.
  t.is(await refused(names), 'TASK_HELD_OUT');
  await admin`update suite set is_active = false`;
  await addRace(admin, { suiteId: first, raceNumber: 1, entrants: [], status: 'RACE_RUNNING' });
  t.is(await refused(names), 'TASK_HELD_OUT');
  await admin`
    update race set status = 'RACE_COMPLETE', released_at = rt.clock() + interval '6 hours'`;
  t.is(await refused(names), 'TASK_HELD_OUT');
  await admin`update race set released_at = rt.clock()`;
  t.deepEqual(await shown(await create(names)), names.qualifyingTaskIds);
});

test('a pack that was built again has the same tasks, held out and shown', async (t) => {
  const { register, create, activate, shown, refused } = await openSuites(t);
  const more: DeskTask[] = [12, 13, 14].map((index) => ({
    ...{ taskId: `task-${index}`, family: 'shop', goalText: `Buy ${index}` },
  }));
  await register(rebuilt, [...deskTasks.slice(1), ...more]);
  const ofRebuilt = { envPackSha256: rebuilt };
  await activate(await create({ qualifyingTaskIds: ['task-0', 'task-1'] }));
  t.is(await refused({ ...ofRebuilt, qualifyingTaskIds: ['task-2'] }), 'TASK_HELD_OUT');
  const drawn = await shown(await create(ofRebuilt));
  t.deepEqual(drawn, ['task-1', 'task-12', 'task-13', 'task-14']);
});

test('a pack of nothing but held-out tasks makes no suite', async (t) => {
  const { register, create, activate, refused } = await openSuites(t);
  await activate(await create({ qualifyingTaskIds: ['task-0'] }));
  await register(rebuilt, deskTasks.slice(1, 5));
  t.is(await refused({ envPackSha256: rebuilt }), 'TASK_HELD_OUT');
});

test('goals that a pack has more than once tell no tasks apart', async (t) => {
  const { register, create, activate, shown } = await openSuites(t);
  const alike = (sha256: string) =>
    register(
      sha256,
      deskTasks.map((task) => ({ ...task, goalText: 'Buy.' })),
    );
  await alike(rebuilt);
  await alike('ef'.repeat(32));
  await activate(await create({ envPackSha256: rebuilt, qualifyingTaskIds: ['task-0'] }));
  const names = ['task-5', 'task-6'];
  const other = await create({ envPackSha256: 'ef'.repeat(32), qualifyingTaskIds: names });
  t.deepEqual(await shown(other), names);
});

test('a suite whose races would have no task, for others show them all, is refused', async (t) => {
  const { create, shown, refused } = await openSuites(t);
  const all = deskTasks.map(({ taskId }) => taskId);
  // A pack that is shown as a whole holds nothing out, as its operator wants it.
  t.deepEqual(await shown(await create({ qualifyingTaskIds: all })), all);
  t.is(await refused({ qualifyingTaskIds: ['task-0'] }), 'NO_TASK_HELD_OUT');
  t.is(await refused({}), 'NO_TASK_HELD_OUT');
});
