import test from 'ava';
import { createReleases } from '../../../actors/services/projector/releases.actor.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { movedSignal } from '../../../infra/ports/clock-follower.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

/** A release is due, and stays so; no race is. */
async function oneIsDue(query: TemplateStringsArray): Promise<readonly object[]> {
  return query.join('').includes('rt.next_release()') ? [{ ms: -1 }] : [];
}

/** How long the feed is left alone between looks, each of which found `told` releases to tell. */
async function waitsBetween(
  found: readonly number[],
  signal: (name: string) => void = () => {},
): Promise<readonly number[]> {
  const waits: number[] = [];
  const seen = Promise.withResolvers<void>();
  const left = [...found];
  const clock: Pick<Clock, 'sleep'> = {
    sleep: async (ms, signal) => {
      waits.push(ms);
      if (left.length > 0) return;
      seen.resolve();
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    },
  };
  const releases = createReleases({
    sql: oneIsDue as unknown as Sql,
    transact: async <T>() => ({ told: left.shift() ?? 0, failed: 0 }) as T,
    signals: { signal, onSignal: () => ({ close: async () => {} }) },
    terms: { codePrivateMs: 0 },
    clock: clock as Clock,
    log: silentLogger,
  });
  await releases.start();
  await seen.promise;
  await releases.stop();
  return waits;
}

test('a release that is due and waits for others keeps nobody busy', async (t) => {
  t.deepEqual(
    await waitsBetween([0, 0, 0, 0, 0, 0, 0, 0]),
    [20, 40, 80, 160, 320, 640, 1000, 1000],
  );
});

test('who has told one looks again soon for the next', async (t) => {
  t.deepEqual(await waitsBetween([0, 0, 0, 1, 0, 0]), [20, 40, 80, 20, 40]);
});

test('whoever listens hears at once that something was released, and nothing where nothing was', async (t) => {
  const heard: string[] = [];
  await waitsBetween([0, 1, 0, 0, 1, 0], (name) => heard.push(name));
  t.deepEqual(heard, ['public-events', 'public-events']);
});

test('a clock that is moved to a release does not wait for the next look', async (t) => {
  let looks = 0;
  let move: (body: unknown) => void = () => undefined;
  const clock = new ManualClock();
  const releases = createReleases({
    sql: (async (query: TemplateStringsArray) => {
      if (!query.join('').includes('rt.next_release()')) return [];
      looks += 1;
      return [{ ms: null }];
    }) as unknown as Sql,
    transact: async <T>() => ({ told: 0, failed: 0 }) as T,
    signals: {
      signal: () => {},
      onSignal: (name, receive) => {
        if (name === movedSignal) move = receive;
        return { close: async () => {} };
      },
    },
    ...{ terms: { codePrivateMs: 0 }, clock, log: silentLogger },
  });
  await releases.start();
  await rest();
  t.is(looks, 1);

  move({});
  await rest();
  t.is(looks, 2);
  await clock.advance(1_000);
  await rest();
  t.is(looks, 3);
  await releases.stop();
});

async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}
