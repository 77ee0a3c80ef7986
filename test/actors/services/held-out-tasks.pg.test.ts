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

/** Of a pack of their own; the tasks `prefix-N` have these goals, in this order. */
const withGoals = (prefix: string, goals: readonly string[]): DeskTask[] =>
  goals.map((goalText, index) => ({ taskId: `${prefix}-${index}`, family: 'shop', goalText }));

const racing = { envPackSha256: rebuilt };
const next = { envPackSha256: 'ef'.repeat(32) };

test('a goal that a racing pack has once is shown by no pack, however often that has it', async (t) => {
  const { admin, register, create, activate, shown, refused } = await openSuites(t);
  await register(rebuilt, withGoals('a', ['Shown', 'Held', 'Other']));
  await register(next.envPackSha256, withGoals('b', ['Held', 'Held', 'Free', 'Shown', 'Shown']));
  await activate(await create({ ...racing, qualifyingTaskIds: ['a-0'] }));
  t.is(await refused({ ...next, qualifyingTaskIds: ['b-1'] }), 'TASK_HELD_OUT');
  t.deepEqual(new Set(await shown(await create(next))), new Set(['b-2', 'b-3', 'b-4']));
  const stillHeldOut = await admin`
    select from rt.tasks_of_packs(array[${rebuilt}]) where not is_public`;
  t.is(stillHeldOut.length, 2, 'what the second suite shows is no task that the first holds out');
});

test('a goal that a racing pack has more than once may be shown by a pack that has it once', async (t) => {
  const { register, create, activate, shown, refused } = await openSuites(t);
  await register(rebuilt, withGoals('a', ['Shown', 'Common', 'Common']));
  await register(next.envPackSha256, withGoals('b', ['Common', 'Free']));
  await activate(await create({ ...racing, qualifyingTaskIds: ['a-0'] }));
  const names = ['b-0'];
  t.deepEqual(await shown(await create({ ...next, qualifyingTaskIds: names })), names);
  // In the racing pack itself they are told apart by their ids.
  t.is(await refused({ ...racing, qualifyingTaskIds: ['a-1'] }), 'TASK_HELD_OUT');
});

test('of several racing packs each holds out the goals that it has once', async (t) => {
  const { admin, register, create, activate, shown, refused } = await openSuites(t);
  await register(rebuilt, withGoals('a', ['Shown', 'Held', 'Held', 'Twice', 'Twice']));
  const third = { envPackSha256: '12'.repeat(32) };
  await register(third.envPackSha256, withGoals('c', ['Shown', 'Held', 'Twice', 'Twice']));
  const first = await create({ ...racing, qualifyingTaskIds: ['a-0'] });
  await activate(await create({ ...third, qualifyingTaskIds: ['c-0'] }));
  await addRace(admin, { suiteId: first, raceNumber: 1, entrants: [], status: 'RACE_RUNNING' });
  await register(next.envPackSha256, withGoals('b', ['Held', 'Held', 'Twice', 'Free']));
  t.is(await refused({ ...next, qualifyingTaskIds: ['b-0'] }), 'TASK_HELD_OUT');
  t.deepEqual(new Set(await shown(await create(next))), new Set(['b-2', 'b-3']));
});

test('a goal that is public already may be shown again by a pack that has it twice', async (t) => {
  const { register, create, activate, shown } = await openSuites(t);
  await register(rebuilt, withGoals('a', ['Known', 'Held']));
  await register(next.envPackSha256, withGoals('b', ['Known', 'Known', 'Free']));
  await activate(await create({ ...racing, qualifyingTaskIds: ['a-0'] }));
  const names = ['b-0', 'b-1'];
  t.deepEqual(await shown(await create({ ...next, qualifyingTaskIds: names })), names);
});

test('a suite whose races would have no task, for others show them all, is refused', async (t) => {
  const { create, shown, refused } = await openSuites(t);
  const all = deskTasks.map(({ taskId }) => taskId);
  // A pack that is shown as a whole holds nothing out, as its operator wants it.
  t.deepEqual(await shown(await create({ qualifyingTaskIds: all })), all);
  t.is(await refused({ qualifyingTaskIds: ['task-0'] }), 'NO_TASK_HELD_OUT');
  t.is(await refused({}), 'NO_TASK_HELD_OUT');
});
