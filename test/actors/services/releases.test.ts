import test from 'ava';
import { createReleases } from '../../../actors/services/projector/releases.actor.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

/** A release is due, and stays so; no race is. */
async function oneIsDue(query: TemplateStringsArray): Promise<readonly object[]> {
  return query.join('').includes('rt.next_release()') ? [{ ms: -1 }] : [];
}

/** How long the feed is left alone between looks, each of which found `told` releases to tell. */
async function waitsBetween(found: readonly number[]): Promise<readonly number[]> {
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
    signals: { signal: () => {}, onSignal: () => ({ close: async () => {} }) },
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
