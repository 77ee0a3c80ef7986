import test from 'ava';
import fc from 'fast-check';
import { planFor, wantedOwner } from '../../../actors/runtime/placement.ts';
import type { LiveMember, PartitionRow } from '../../../infra/ports/membership-store.ts';

const member = (name: string, changes: Partial<LiveMember> = {}): LiveMember => ({
  memberId: name,
  incarnation: `life of ${name}`,
  draining: false,
  codeVersion: 1,
  kinds: ['eval'],
  ...changes,
});

const partitions: readonly PartitionRow[] = Array.from({ length: 64 }, (_, part) => ({
  kind: 'eval',
  part,
  epoch: 0,
  owner: undefined,
  incarnation: undefined,
  versionFloor: 0,
}));

const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,12}$/), {
  minLength: 1,
  maxLength: 8,
});

const owners = (members: readonly LiveMember[]) => partitions.map((p) => wantedOwner(p, members));

test('all members agree, whatever order they see each other in', (t) => {
  const property = fc.property(names, fc.infiniteStream(fc.nat()), (found, order) => {
    const members = found.map((name) => member(name));
    const shuffled = members
      .map((m) => ({ m, at: order.next().value ?? 0 }))
      .sort((a, b) => a.at - b.at)
      .map(({ m }) => m);
    t.deepEqual(owners(members), owners(shuffled));
  });
  t.notThrows(() => fc.assert(property, { numRuns: 30 }));
});

// Rendezvous hashing's promise: who comes takes only what becomes its own, who goes gives only that.
test('a newcomer moves nothing but its own share', (t) => {
  const property = fc.property(names, (found) => {
    const members = found.map((name) => member(name));
    const before = owners(members);
    const after = owners([...members, member('NEW')]);
    return after.every((owner, part) => owner === before[part] || owner === 'NEW');
  });
  t.notThrows(() => fc.assert(property, { numRuns: 50 }));
});

test('three members share evenly enough', (t) => {
  const found = owners(['coordinator-1', 'coordinator-2', 'coordinator-3'].map((n) => member(n)));
  for (const name of new Set(found)) {
    const share = found.filter((owner) => owner === name).length;
    t.true(share >= 12 && share <= 32, `${name} has ${share} of 64`);
  }
});

test('nobody is wanted who drains, hosts other kinds or runs older code', (t) => {
  const [row = partitions[0]] = partitions;
  if (row === undefined) throw new Error('no partitions');
  const unfit = [
    member('drains', { draining: true }),
    member('others', { kinds: ['race'] }),
    member('old', { codeVersion: 1 }),
  ];

  t.is(wantedOwner({ ...row, versionFloor: 2 }, unfit), undefined);
  t.is(
    wantedOwner({ ...row, versionFloor: 2 }, [...unfit, member('fit', { codeVersion: 2 })]),
    'fit',
  );
});

test('only what is free, of the dead, or left behind by ourselves is claimed', (t) => {
  const self = member('self');
  const owned = (part: number, incarnation: string | undefined): PartitionRow => ({
    ...(partitions[part] as PartitionRow),
    owner: incarnation,
    incarnation,
  });
  const rows = [
    owned(0, undefined),
    owned(1, 'life of nobody alive'),
    owned(2, self.incarnation),
    owned(3, self.incarnation),
    owned(4, 'life of other'),
  ];
  const other = member('other', { draining: true });

  const plan = planFor(self, { members: [self, other], partitions: rows }, new Set(['eval.3']));

  t.deepEqual(
    plan.claim.map((row) => row.part),
    [0, 1, 2],
  );
  t.deepEqual(plan.handOver, []);
});

test('what could not be released is taken back, for nobody else can take it', (t) => {
  const self = member('self');
  const other = member('other');
  const members = [self, other];
  const elsewhere = partitions.filter((row) => wantedOwner(row, members) === 'other');
  const rows = elsewhere.map((row) => ({ ...row, owner: 'self', incarnation: self.incarnation }));
  const view = { members, partitions: rows };
  t.true(rows.length > 0);
  t.deepEqual(planFor(other, view, new Set()).claim, []);
  t.deepEqual(planFor(self, view, new Set()), { claim: rows, handOver: [] });
});

test('who drains takes what is free only where nobody else could, and keeps what it has there', (t) => {
  const self = member('self', { draining: true });
  const taken = (members: readonly LiveMember[]) =>
    planFor(self, { members: [self, ...members], partitions }, new Set(['eval.0']));

  t.deepEqual(taken([member('other')]).claim, []);
  t.deepEqual(taken([member('other', { kinds: ['race'] })]).handOver, []);
  t.is(taken([member('other', { kinds: ['race'] })]).claim.length, partitions.length - 1);
});

test('what belongs to a living other is handed over', (t) => {
  const self = member('self', { draining: true });

  const plan = planFor(
    self,
    { members: [self, member('other')], partitions },
    new Set(['eval.0', 'eval.7']),
  );

  t.deepEqual(
    plan.handOver.map((row) => row.part),
    [0, 7],
  );
});
