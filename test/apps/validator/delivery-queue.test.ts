import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  type Attempt,
  attemptOfRefusal,
  type Delivery,
  pauseMs,
  withinPatience,
} from '../../../apps/validator/delivery/delivery.ts';
import { openDeliveryFolder } from '../../../apps/validator/delivery/delivery-folder.ts';
import { type Attempted, DeliveryQueue } from '../../../apps/validator/delivery/delivery-queue.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => quiet,
};

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-queue-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const results = (evalRunId: string): Delivery => ({
  kind: 'results',
  evalRunId,
  items: [evalRunId],
});
const completion = (evalRunId: string): Delivery => ({
  ...{ kind: 'completion', evalRunId, idempotencyKey: 'key' },
  body: { terminal_status: 'SUCCESS' },
});

const open = (
  folder: string,
  send: (one: Delivery) => Promise<Attempted> | Attempted,
  isOrdered = true,
  monotonicMs = systemClock.monotonicMs,
) =>
  DeliveryQueue.open({
    ...{ folder, isOrdered },
    send: async (one) => await send(one),
    ...{
      clock: { ...systemClock, monotonicMs, sleep: (_ms, signal) => systemClock.sleep(0, signal) },
      log: quiet,
    },
    onRetry: () => undefined,
  });

test('what was not acknowledged is sent by the next process, in its order and the same', async (t) => {
  const folder = await folderFor(t);
  const first = await open(folder, () => new Promise(() => undefined));
  await first.put(results('a'));
  await first.put(completion('a'));
  // The process is killed here: nothing of it is ended in good order.
  const sent: Delivery[] = [];
  const second = await open(folder, (one) => {
    sent.push(one);
    return { kind: 'acknowledged', answer: null };
  });
  await second.untilEmpty(new AbortController().signal);

  t.deepEqual(sent, [results('a'), completion('a')]);
  t.deepEqual(await readdir(folder), []);
  await second.stop();
});

test('an answer that may change is asked for again, and nothing overtakes it', async (t) => {
  const folder = await folderFor(t);
  const seen: string[] = [];
  let refusals = 3;
  const queue = await open(folder, (one) => {
    seen.push(one.kind);
    return refusals-- > 0 ? { kind: 'later', reason: '503' } : { kind: 'acknowledged', answer: 1 };
  });
  const { outcome } = await queue.put(results('a'));
  const { outcome: last } = await queue.put(completion('a'));

  t.deepEqual(await outcome, { kind: 'acknowledged', answer: 1 });
  t.is((await last).kind, 'acknowledged');
  t.deepEqual(seen, ['results', 'results', 'results', 'results', 'completion']);
  await queue.stop();
});

test('where none stands on another, what never gets through is in nobody’s way', async (t) => {
  const folder = await folderFor(t);
  const send = ({ evalRunId }: Delivery): Attempted =>
    evalRunId === 'stuck'
      ? { kind: 'later', reason: '500' }
      : { kind: 'acknowledged', answer: null };
  const queue = await open(folder, send, false);
  await queue.put(completion('stuck'));
  const { outcome } = await queue.put(completion('other'));

  t.is((await outcome).kind, 'acknowledged');
  t.is(queue.size, 1);
  await queue.stop();
  t.is((await readdir(folder)).length, 1);
});

test('a stop waits for what is under way, whoever stands on whom', async (t) => {
  for (const isOrdered of [true, false]) {
    const folder = await folderFor(t);
    const [begun, answered] = [Promise.withResolvers(), Promise.withResolvers<Attempted>()];
    const send = () => {
      begun.resolve(undefined);
      return answered.promise;
    };
    const queue = await open(folder, send, isOrdered);
    await queue.put(completion('a'));
    await begun.promise;
    const stopped = queue.stop();
    answered.resolve({ kind: 'acknowledged', answer: null });
    await stopped;

    t.deepEqual(await readdir(folder), []);
  }
});

test('what is put after a start takes no place of what an earlier process has left', async (t) => {
  const folder = await folderFor(t);
  const first = await openDeliveryFolder(folder);
  const answered = await first.put(results('a'));
  await first.put(completion('b'));
  await first.remove(answered);
  const second = await openDeliveryFolder(folder);
  await second.put(completion('c'));

  const { kept } = await openDeliveryFolder(folder);
  t.deepEqual(
    kept.map(({ delivery }) => delivery.evalRunId),
    ['b', 'c'],
  );
});

test('a refusal that stays is told and forgotten', async (t) => {
  const folder = await folderFor(t);
  const queue = await open(folder, () => ({ kind: 'refused', reason: '403' }));
  const { outcome } = await queue.put(completion('a'));

  t.deepEqual(await outcome, { kind: 'refused', reason: '403' });
  t.is(queue.size, 0);
  t.deepEqual(await readdir(folder), []);
  await queue.stop();
});

test('a stop while the service is away leaves everything on disk', async (t) => {
  const folder = await folderFor(t);
  const queue = await open(folder, () => ({ kind: 'later', reason: 'away' }));
  await queue.put(completion('a'));
  await queue.stop();

  t.is((await readdir(folder)).length, 1);
});

test('what becomes of a completion that an earlier process left is told', async (t) => {
  const folder = await folderFor(t);
  const first = await open(folder, () => ({ kind: 'later', reason: 'away' }));
  await first.put(results('a'));
  await first.put(completion('b'));
  await first.stop();
  const second = await open(folder, ({ kind }) =>
    kind === 'completion'
      ? { kind: 'refused', reason: '422' }
      : { kind: 'acknowledged', answer: null },
  );

  t.is(second.completionOf('a'), undefined);
  t.deepEqual(await second.completionOf('b'), { kind: 'refused', reason: '422' });
  t.is(second.completionOf('b'), undefined);
  await second.stop();
});

test('a file that no crash of ours could leave is set aside and the rest is sent', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, '000000000001.json'), '{"kind":');
  await writeFile(join(folder, '000000000002.json'), JSON.stringify(completion('b')));
  await writeFile(join(folder, '000000000003.json.new'), 'half');
  const sent: Delivery[] = [];
  const queue = await open(folder, (one) => {
    sent.push(one);
    return { kind: 'acknowledged', answer: null };
  });
  await queue.untilEmpty(new AbortController().signal);

  t.deepEqual(sent, [completion('b')]);
  t.deepEqual(await readdir(folder), ['000000000001.json.unreadable']);
  await queue.stop();
});

// An episode may have megabytes: what is left of it would keep a full disk full, and the end of its run from it.
test('what a full disk did not take leaves nothing behind', async (t) => {
  const folder = await folderFor(t);
  const queue = await openDeliveryFolder(folder);
  await symlink('/dev/full', join(folder, '000000000001.json.new'));

  await t.throwsAsync(queue.put(completion('a')), { code: 'ENOSPC' });

  t.deepEqual(await readdir(folder), []);
  t.is(await queue.put(completion('b')), '000000000002.json');
});

test('a file that cannot be removed holds up nothing, and ends no process', async (t) => {
  const folder = await folderFor(t);
  const queue = await open(folder, async ({ kind }) => {
    // What stands in its place is no file, and not empty.
    const path = join(folder, '000000000001.json');
    if (kind === 'results') await rm(path);
    await mkdir(join(path, 'in the way'), { recursive: true });
    return { kind: 'acknowledged', answer: 1 };
  });
  const { outcome } = await queue.put(results('a'));
  const { outcome: next } = await queue.put(completion('a'));

  t.deepEqual(await outcome, { kind: 'acknowledged', answer: 1 });
  t.is((await next).kind, 'acknowledged');
  t.is(queue.size, 0);
  await queue.stop();
  const second = await open(folder, () => ({ kind: 'later', reason: 'away' }));
  t.is(second.size, 0);
  await second.stop();
  t.deepEqual(await readdir(folder), ['000000000001.json.unreadable']);
});

test('one that stays is sent once more by the next process, and then it is gone', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, '000000000001.json');
  const first = await open(folder, async () => {
    const kept = await readFile(path);
    await rm(path);
    await mkdir(join(path, 'in the way'), { recursive: true });
    await writeFile(`${path}.kept`, kept);
    return { kind: 'acknowledged', answer: 1 };
  });
  const { outcome } = await first.put(completion('a'));
  await outcome;
  await first.stop();
  await rm(path, { recursive: true });
  await rename(`${path}.kept`, path);
  const sent: Delivery[] = [];
  const second = await open(folder, (one) => {
    sent.push(one);
    return { kind: 'refused', reason: '409' };
  });
  await second.untilEmpty(new AbortController().signal);

  t.deepEqual(sent, [completion('a')]);
  t.deepEqual(await readdir(folder), []);
  await second.stop();
});

test('what is dropped is gone at once, under way or not, and what stands behind it is sent', async (t) => {
  const folder = await folderFor(t);
  const asked: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const send = ({ evalRunId, kind }: Delivery, signal: AbortSignal): Promise<Attempted> => {
    asked.push(`${evalRunId} ${kind}`);
    if (evalRunId === 'b') return Promise.resolve({ kind: 'acknowledged', answer: 1 });
    begin();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'later', reason: 'aborted' }));
    });
  };
  const queue = await DeliveryQueue.open({
    ...{ folder, send, clock: systemClock, log: quiet, onRetry: () => undefined },
  });
  const first = await queue.put(results('a'));
  const other = await queue.put(results('b'));
  const second = await queue.put(completion('a'));
  await begun;
  t.deepEqual(queue.evalRunIds, ['a', 'b']);
  await queue.drop('a');

  const over = { kind: 'refused', reason: 'its run is over' } as const;
  t.deepEqual(await Promise.all([first.outcome, second.outcome]), [over, over]);
  t.is((await other.outcome).kind, 'acknowledged');
  t.deepEqual(asked, ['a results', 'b results']);
  t.deepEqual(await readdir(folder), []);
  await queue.stop();
});

test('who answers what is being dropped is heard once, and nothing else is taken for it', async (t) => {
  const folder = await folderFor(t);
  const { promise: answer, resolve: say } = Promise.withResolvers<Attempted>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const queue = await open(folder, ({ evalRunId }) => {
    begin();
    return evalRunId === 'a' ? answer : new Promise(() => undefined);
  });
  const { outcome } = await queue.put(results('a'));
  await queue.put(results('b'));
  await begun;
  say({ kind: 'acknowledged', answer: 1 });
  await Promise.all([queue.drop('a'), outcome]);

  await queue.drop('a');
  t.deepEqual(queue.evalRunIds, ['b']);
  t.is((await readdir(folder)).length, 1);
});

const meanings: readonly (readonly [status: number, kind: Attempt['kind']])[] = [
  [401, 'later'],
  [403, 'refused'],
  [404, 'refused'],
  [409, 'refused'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'later'],
  [500, 'later'],
  [503, 'later'],
];
for (const [status, kind] of meanings) {
  test(`an answer ${status} means ${kind}`, (t) => {
    t.is(attemptOfRefusal({ status, isProxys: false, message: 'why' }).kind, kind);
  });
}

test('what follows of a run that a proxy refused for long waits no more, and nobody behind it', async (t) => {
  let nowMs = 0;
  const asked: string[] = [];
  const { promise: allThere, resolve: begin } = Promise.withResolvers<void>();
  const send = async ({ evalRunId }: Delivery): Promise<Attempted> => {
    await allThere;
    asked.push(evalRunId);
    nowMs += 11 * 60_000;
    if (evalRunId === 'b') return { kind: 'acknowledged', answer: null };
    return { kind: 'later', reason: '403', isProxys: true };
  };
  const queue = await open(await folderFor(t), send, true, () => nowMs);
  const first = await queue.put(results('a'));
  const second = await queue.put(results('a'));
  const other = await queue.put(results('b'));
  begin();

  t.is((await first.outcome).kind, 'refused');
  t.is((await second.outcome).kind, 'refused');
  t.is((await other.outcome).kind, 'acknowledged');
  t.deepEqual(asked, ['a', 'a', 'a', 'a', 'a', 'b']);
  // A new run of that name has its half hour again.
  const later = await queue.put(results('a'));
  t.is((await later.outcome).kind, 'refused');
  t.is(asked.length, 10);
  await queue.stop();
});

test('what a proxy says in its own words means later, but that it is too large', (t) => {
  const proxys = (status: number) =>
    attemptOfRefusal({ status, isProxys: true, message: 'why' }).kind;
  t.deepEqual([403, 404, 409, 502].map(proxys), ['later', 'later', 'later', 'later']);
  t.is(proxys(413), 'refused');
});

test('pauses grow to a bound, and the service may ask for more within it', (t) => {
  t.deepEqual(
    [0, 1, 2, 50].map((attempts) => pauseMs(attempts, undefined)),
    [200, 400, 800, 15_000],
  );
  t.is(pauseMs(0, 3), 3000);
  t.is(pauseMs(0, 9999), 15_000);
});

test('an episode that is late holds up nothing any more, and everything else is waited for', (t) => {
  const later: Attempt = { kind: 'later', reason: '503' };
  const episode: Delivery = {
    ...{ kind: 'episode', evalRunId: 'a', packSha256: '', document: '{}' },
    untilMs: 1000,
  };

  t.deepEqual(withinPatience(episode, later, 999), later);
  t.deepEqual(withinPatience(episode, later, 1000), { kind: 'refused', reason: 'given up: 503' });
  t.deepEqual(withinPatience(results('a'), later, 1000), later);
  const release: Delivery = { kind: 'release', evalRunId: 'a', reason: '', untilMs: 1000 };
  t.deepEqual(withinPatience(release, later, 1000), { kind: 'refused', reason: 'given up: 503' });
});
