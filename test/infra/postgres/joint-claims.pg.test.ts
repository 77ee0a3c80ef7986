import test from 'ava';
import { openCommitDesk } from '../../support/commit-desk.ts';
import { holdLock } from '../../support/held-lock.ts';

let desk: Awaited<ReturnType<typeof openCommitDesk>>;
test.before(async () => {
  desk = await openCommitDesk();
});
test.after.always(() => desk.close());

test('of partitions that are claimed together those are taken that each claim alone would take', async (t) => {
  const living = await desk.claimed();
  const dead = await desk.claimed();
  const movedOn = await desk.claimed();
  const own = await desk.claimed();
  await dead.members.eject(dead.identity);
  await movedOn.members.eject(movedOn.identity);
  const { members, identity } = own;

  const claimed = await members.claimAll(
    [
      own.token,
      living.token,
      { ...movedOn.token, epoch: movedOn.token.epoch - 1 },
      dead.token,
      { kind: 'counter', part: 999, epoch: 0 },
    ],
    identity,
  );

  const taken = claimed.map(({ kind, part, epoch }) => ({ kind, part, epoch }));
  t.deepEqual(taken, [
    { kind: 'counter', part: dead.token.part, epoch: dead.token.epoch + 1 },
    { kind: 'counter', part: own.token.part, epoch: own.token.epoch + 1 },
  ]);
  for (const { nowMs } of claimed) t.true(Math.abs(nowMs - Date.now()) < 60_000);
  const { partitions } = await members.view();
  const ownerOf = ({ part }: { part: number }) =>
    partitions.find((row) => row.part === part)?.incarnation;
  t.is(ownerOf(dead.token), identity.incarnation);
  t.is(ownerOf(living.token), living.identity.incarnation);
  t.is(ownerOf(movedOn.token), movedOn.identity.incarnation);
});

test('where one of them is locked for long, none is taken', async (t) => {
  const { members, identity, token: first } = await desk.claimed();
  const { token: second, ...other } = await desk.claimed();
  await other.members.eject(other.identity);

  await holdLock(
    desk.admin,
    (tx) => tx`select from rt.partition where part = ${second.part} for update`,
    async () => {
      await t.throwsAsync(members.claimAll([first, second], identity), { code: '55P03' });
    },
  );

  const { partitions } = await members.view();
  const epochs = [first, second].map(
    ({ part }) => partitions.find((row) => row.part === part)?.epoch,
  );
  t.deepEqual(epochs, [first.epoch, second.epoch]);
});
