import test from 'ava';
import fc from 'fast-check';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import { disguised, program, textOf } from '../../support/python-programs.ts';
import { lookAtAll, similarityWorld, verdictsOf } from '../../support/similarity-world.ts';

const [victims = '', others = ''] = fc
  .sample(program(3), { numRuns: 2, seed: 9 })
  .map((made) => textOf(made));

// Three tries within half a minute were all there were: the thief was clean and the victim a copy, for good.
const withheld: readonly [reason: string, withhold: () => Promise<undefined>][] = [
  ['the store does not have the file', async () => undefined],
  [
    'the store does not give the file',
    () => Promise.reject(new StorageUnavailable('the object store cannot be used')),
  ],
];
for (const [reason, withhold] of withheld) {
  test(`${reason} for a while: it counts once it is read`, async (t) => {
    const made = await similarityWorld(t, [others, victims, disguised(victims), victims]);
    const { deps, hasten } = made;
    const isAway = (sha256: string) => sha256 === sha256Hex(victims);
    const away = (sha256: string) => (isAway(sha256) ? withhold() : deps.readCode(sha256));
    for (let tries = 0; tries < 6; tries += 1) {
      await hasten();
      await lookAtAll(made, { ...deps, readCode: away });
    }
    t.deepEqual(await verdictsOf(made), ['clean', reason, 'clean', reason]);
    t.is(await lookAtAll(made, deps), 0, 'it waits for its next try');

    await hasten();
    await lookAtAll(made, deps);

    t.deepEqual(await verdictsOf(made), ['clean', 'clean', 'copy', 'copy']);
  });
}

test('the pauses of what is set aside grow to an hour', async (t) => {
  const made = await similarityWorld(t, [victims]);
  const { admin, deps, hasten } = made;
  const pauseAt = async (registeredAgo: string) => {
    await admin`update similarity_version set registered_at = now() - ${registeredAgo}::interval`;
    await hasten();
    await lookAtAll(made, { ...deps, readCode: async () => undefined });
    const [row] = await admin<{ minutes: number }[]>`
      select round(extract(epoch from next_attempt_at - now()) / 60)::integer as minutes
      from similarity_version`;
    return row?.minutes;
  };
  for (let tries = 0; tries < 3; tries += 1) await pauseAt('1 second');

  t.is(await pauseAt('1 second'), 1);
  t.is(await pauseAt('20 minutes'), 20);
  t.is(await pauseAt('3 days'), 60);
});

test('a file that is at fault itself is not tried for ever', async (t) => {
  const made = await similarityWorld(t, [victims]);
  const { deps, hasten } = made;
  const reason = 'the file is not Python';
  const read = async () => ({ kind: 'unreadable', reason }) as const;
  const broken = { ...deps, fingerprinter: { ...deps.fingerprinter, read } };
  const tries: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await hasten();
    tries.push(await lookAtAll(made, broken));
  }

  t.deepEqual(tries, [1, 1, 1, 0, 0]);
  t.deepEqual(await verdictsOf(made), [reason]);
});
