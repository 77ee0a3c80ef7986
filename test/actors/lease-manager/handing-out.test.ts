import test from 'ava';
import { EvalWorld, episode, suiteOf, versionIdAt } from '../../support/eval-world.ts';

const results = [episode(0), episode(1), episode(2)];

test('work is handed out by queue, but never twice to one validator', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  world.nowMs += 1;
  world.submit(2);
  const claimed = (validator: string, slot = 0) => world.claim(validator, { slot })?.agentVersionId;

  t.is(claimed('val-a'), versionIdAt(1));
  t.is(
    world.refusal('claim-work', {
      validatorHotkey: 'val-a',
      validatorColdkey: null,
      slot: 0,
      preferred: [],
    }).code,
    'AT_CAPACITY',
  );
  t.is(claimed('val-a', 1), versionIdAt(2));
  t.is(claimed('val-a', 2), undefined);
  t.is(claimed('val-b'), versionIdAt(1));
  t.is(claimed('val-c'), versionIdAt(2));
  t.is(claimed('val-d'), undefined);
  t.is(claimed('miner-1'), undefined);
});

test('a slot is free once its run has ended, and what becomes of that run later frees nothing', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const ended = world.run('val-a');
  world.append(ended, results);
  world.complete(ended);
  world.submit(2);
  const claim = { validatorHotkey: 'val-a', validatorColdkey: null, slot: 0, preferred: [] };
  t.is(world.run('val-a').agentVersionId, versionIdAt(2));

  world.ok('exclude-run', { ...ended, reason: 'an operator said so' });

  t.is(world.refusal('claim-work', claim).code, 'AT_CAPACITY');
});

test('the place that the admission gave in the queue decides, not the time of asking', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  world.submit(2);
  world.state.queueOrderMs.set(world.itemState(1).context.workItemId, world.nowMs + 3_600_000);

  t.is(world.run('val-a').agentVersionId, versionIdAt(2));
  t.is(world.run('val-a', { slot: 1 }).agentVersionId, versionIdAt(1));
});

test('preferred work comes first, and work given back comes last', (t) => {
  const world = new EvalWorld();
  for (const index of [1, 2, 3]) {
    world.nowMs += 1;
    world.submit(index);
  }
  const workItemId = world.itemState(3).context.workItemId;

  const preferred = world.run('val-a', { preferred: [workItemId] });
  t.is(preferred.agentVersionId, versionIdAt(3));
  world.ok('release-run', preferred);
  t.deepEqual(world.ok('release-run', preferred), { released: true });
  t.is(world.run('val-a').agentVersionId, versionIdAt(1));
  t.is(world.run('val-a', { slot: 1 }).agentVersionId, versionIdAt(2));
  t.is(world.run('val-a', { slot: 2 }).agentVersionId, versionIdAt(3));
  t.is(world.runState(preferred).context.endReason, 'RELEASED');
});

test('work is kept for a minute from a validator whose third run of it timed out, and from no other', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const timedOut = { terminalStatus: 'TIMED_OUT', scoreMicro: null, failureClass: 'PROVIDER' };
  for (let count = 0; count < 3; count += 1) world.complete(world.run('val-a'), timedOut);

  t.is(world.claim('val-a'), null);
  t.not(world.claim('val-b'), null);
  world.nowMs += 60_000;
  t.not(world.claim('val-a'), null);
});

// Else each claim would be refused at its commit, decided afresh alike, and refused again.
test('work of a race that is over is given to nobody, though the news of its end is to come', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  for (const validator of ['val-a', 'val-b']) {
    const own = world.run(validator);
    world.append(own, results);
    world.complete(own);
  }
  const raceId = world.startRace();
  world.submit(2);
  const workItemId = [...world.version(1).items.keys()].at(-1) ?? '';
  const claimed = (slot: number, preferred: string[] = []) =>
    world.claim('val-a', { slot, preferred })?.workItemId;
  t.is(claimed(0), workItemId);

  world.state.races.set(raceId, { isRunning: false, roster: suiteOf(3).qualifying });

  const other = world.itemState(2).context.workItemId;
  t.is(world.claim('val-b', { preferred: [workItemId] })?.workItemId, other);
  t.is(claimed(1), other);
  t.is(claimed(2), undefined);
});

test('a banned validator loses its runs and its say; a banned miner’s work waits', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  world.nowMs += 1;
  world.submit(2);
  const judged = world.run('val-a');
  world.append(judged, results);
  world.complete(judged);
  const live = world.run('val-a');
  t.is(live.agentVersionId, versionIdAt(2));

  world.ok('hotkey-banned', { hotkey: 'val-a' });
  world.ok('hotkey-banned', { hotkey: 'miner-2' });

  t.like(world.runState(live), { value: 'cancelled', context: { endReason: 'VALIDATOR_BANNED' } });
  t.is(world.itemState(1).context.included.length, 0);
  t.is(world.run('val-b').agentVersionId, versionIdAt(1));
  t.is(world.claim('val-b', { slot: 1 }), null);
  world.ok('hotkey-unbanned', { hotkey: 'miner-2' });
  const again = world.run('val-b', { slot: 1 });
  t.is(again.agentVersionId, versionIdAt(2));

  world.ok('hotkey-banned', { hotkey: 'miner-2' });
  t.like(world.runState(again), { value: 'cancelled', context: { endReason: 'MINER_BANNED' } });
  t.is(world.itemState(2).value, 'open');
  world.ok('hotkey-unbanned', { hotkey: 'miner-2' });
  t.is(world.run('val-b', { slot: 1 }).agentVersionId, versionIdAt(2));
});

test('a new suite cancels the work of the others', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');

  world.ok('suite-activated', { suiteId: 1 });
  t.is(world.itemState(1).value, 'open');
  world.ok('suite-activated', { suiteId: 2 });

  t.is(world.version(1).version.state.value, 'cancelled');
  t.is(world.itemState(1).value, 'cancelled');
  t.like(world.runState(own), { value: 'cancelled', context: { endReason: 'SUITE_SUPERSEDED' } });
});
