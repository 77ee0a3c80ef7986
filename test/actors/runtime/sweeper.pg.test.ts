import test, { type ExecutionContext } from 'ava';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import { Sweeper } from '../../../actors/runtime/sweeper.ts';
import type { DurableMessage } from '../../../infra/ports/bus.ts';
import type { OutboxStore } from '../../../infra/ports/outbox-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually } from '../../support/runtime-world.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

async function sweeping(
  t: ExecutionContext,
  failing: Partial<OutboxStore> = {},
  clock = new ManualClock(),
) {
  const { sql } = await testDatabase(t);
  const sent: string[] = [];
  const starts = new Set<() => void>();
  const gauges = new Map<string, () => number | undefined>();
  const broker = {
    isRefusing: false,
    wasStarted: () => {
      for (const start of starts) start();
    },
  };
  const publish = async ({ msgId }: DurableMessage) => {
    sent.push(msgId);
    if (broker.isRefusing) throw new Error('no stream takes it');
  };
  const consume = () => ({ close: async () => {} });
  const sweeper = new Sweeper({
    messages: { publish, consume },
    bus: {
      connected: true,
      onNewBroker: (receive) => {
        starts.add(receive);
        return { close: async () => void starts.delete(receive) };
      },
    },
    ...{ clock, log: silentLogger },
    telemetry: {
      ...silentTelemetry,
      gauge: (name, read) => {
        gauges.set(name, read);
        return () => void gauges.delete(name);
      },
    },
    outbox: { ...createOutboxStore(sql), ...failing },
    policy: defaultPolicy,
  });
  sweeper.start();
  t.teardown(() => sweeper.stop());
  return { sql, clock, sent, broker, gauges };
}

test('proofs that nobody needs any more go faster than they come', async (t) => {
  const { sql, clock } = await sweeping(t);
  await sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'eval', 1, 'cmd', n::text, now() - n * interval '1 day' / 1000
    from generate_series(1, 10500) as n`;

  // A thousand a second is more than any load writes.
  const left = await eventually(
    async () => {
      // No time passes while a sweep is under way, however long a busy machine takes for it.
      await until(() => clock.isAwaited(clock.monotonicMs() + 1_000));
      await clock.advance(1_000);
      const [row] = await sql<{ left: number }[]>`select count(*)::integer as left from rt.inbox`;
      return { left: row?.left ?? 0, afterMs: clock.monotonicMs() };
    },
    (seen) => seen.left <= 7_000 || seen.afterMs >= 55_000,
  );

  t.true(left.left <= 7_000 && left.left > 6_990);
});

test('an outbox that cannot be measured does not look empty', async (t) => {
  const { clock, gauges } = await sweeping(t, {
    backlog: async () => {
      throw new Error('canceling statement due to statement timeout');
    },
  });
  for (let looks = 0; looks < 30; looks += 1) await clock.advance(10_000);

  t.is(gauges.get('paddock.outbox.age')?.(), undefined);
  t.is(gauges.get('paddock.outbox.pending')?.(), undefined);
  t.is(gauges.get('paddock.count.age')?.(), 300);
});

test('what was sent counts until it is proved to be taken', async (t) => {
  const { sql, clock, sent, gauges } = await sweeping(t);
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('eval', 1, 'fails', 'fact.x', 'eval', 1, 'projector', '{}', '{}',
      now() - interval '90 seconds', now())`;
  const measured = async () => {
    await until(() => clock.isAwaited(clock.monotonicMs() + 1_000));
    await clock.advance(10_000);
    return [gauges.get('paddock.outbox.pending')?.(), gauges.get('paddock.outbox.age')?.() ?? 0];
  };
  const isSent = async () => (await measured())[0] === 1 && sent.includes('fails');
  await until(isSent);
  t.true(((await measured())[1] ?? 0) >= 90);

  await sql`insert into rt.inbox (kind, part, consumer, msg_id, at)
    values ('eval', 1, 'projector', 'fails', now())`;
  await until(async () => (await measured())[0] === 0);
});

test('a backlog is sent in one sweep', async (t) => {
  const { sql, clock, sent } = await sweeping(t);
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    select 'eval', 1, n::text, 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(), now()
    from generate_series(1, 450) as n`;

  await clock.advance(1_000);
  await eventually(
    () => sent.length,
    (count) => count >= 450,
  );

  t.is(new Set(sent).size, 450);
});

test('a long look for what was taken is not begun again at once, and a short one is', async (t) => {
  for (const { tookMs, fails, looksMin, looksMax } of [
    { tookMs: 1_000, fails: false, looksMin: 2, looksMax: 4 },
    { tookMs: 1_000, fails: true, looksMin: 2, looksMax: 4 },
    { tookMs: 10, fails: false, looksMin: 30, looksMax: 60 },
  ]) {
    const clock = new ManualClock();
    let looks = 0;
    const purgeProven = async () => {
      looks += 1;
      clock.standStill(tookMs);
      if (fails) throw new Error('canceling statement due to statement timeout');
      return { purged: 0, nextPage: 0 };
    };
    await sweeping(t, { purgeProven }, clock);
    for (let seconds = 0; seconds < 60; seconds += 1) {
      // The sweep before is over, whatever the database takes for it.
      await until(() => clock.isAwaited(clock.monotonicMs() + 1_000) || clock.monotonicMs() === 0);
      await clock.advance(1_000);
    }
    t.true(looks >= looksMin && looks <= looksMax, `${looks} looks of ${tookMs} ms in a minute`);
  }
});

test('a look at a pile goes on where the one before ended, also past what it cannot look at', async (t) => {
  const clock = new ManualClock();
  const looks: number[] = [];
  const purgeProven: OutboxStore['purgeProven'] = async ({ fromPage, pages }) => {
    looks.push(fromPage / pages);
    clock.standStill(1_000);
    if (fromPage === pages) throw new Error('canceling statement due to statement timeout');
    return { purged: 0, nextPage: fromPage === 3 * pages ? 0 : fromPage + pages };
  };
  await sweeping(t, { purgeProven }, clock);
  await eventually(
    async () => {
      await clock.advance(1_000);
      return looks.length;
    },
    (count) => count >= 6,
  );

  t.deepEqual(looks.slice(0, 6), [0, 1, 2, 3, 0, 1]);
});

test('a table that a pile has left all but empty is looked at whole each time', async (t) => {
  const looks: number[] = [];
  const purgeProven: OutboxStore['purgeProven'] = async ({ fromPage, pages }) => {
    looks.push(fromPage / pages);
    return { purged: 0, nextPage: fromPage === 3 * pages ? 0 : fromPage + pages };
  };
  const { clock } = await sweeping(t, { purgeProven });
  await clock.advance(1_000);
  await until(async () => looks.length === 4);

  t.deepEqual(looks, [0, 1, 2, 3]);
});

test('what was taken goes faster than it is sent again', async (t) => {
  const { sql, clock } = await sweeping(t);
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    select 'eval', 1, n::text, 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(), now()
    from generate_series(1, 3500) as n`;
  await sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'eval', 1, 'projector', n::text, now() from generate_series(1, 3500) as n`;
  await clock.advance(1_000);
  await until(async () => {
    const [row] = await sql<{ left: number }[]>`select count(*)::integer as left from rt.outbox`;
    return row?.left === 0;
  });
  t.pass();
});

for (const step of ['hasten', 'purgeProven', 'expireProofs'] as const) {
  test(`what is due is sent where ${step} takes too long`, async (t) => {
    let failures = 0;
    const { sql, clock, sent } = await sweeping(t, {
      [step]: async () => {
        failures += 1;
        throw new Error('canceling statement due to statement timeout');
      },
    });
    await sql`
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                             headers, body, at, next_at)
      select 'eval', 1, n::text, 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(), now()
      from generate_series(1, 250) as n`;
    await sql`
      insert into rt.inbox (kind, part, consumer, msg_id, at)
      values ('eval', 2, 'projector', 'old', now() - interval '8 days')`;
    // A second one, whose consumption is proved.
    await sql`
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                             headers, body, at, next_at)
      values ('eval', 2, 'proved', 'fact.x', 'eval', 2, 'projector', '{}', '{}', now(), now())`;
    await sql`
      insert into rt.inbox (kind, part, consumer, msg_id, at)
      values ('eval', 2, 'projector', 'proved', now())`;

    await eventually(
      async () => {
        await clock.advance(1_000);
        const [row] = await sql<{ proved: number; old: number }[]>`
          select (select count(*)::integer from rt.outbox where msg_id = 'proved') as proved,
            (select count(*)::integer from rt.inbox where msg_id = 'old') as old`;
        return { sent: new Set(sent).size, ...row };
      },
      (seen) =>
        failures > 0 &&
        seen.sent === 250 &&
        seen.proved === (step === 'purgeProven' ? 1 : 0) &&
        seen.old === (step === 'expireProofs' ? 1 : 0),
    );

    t.is(new Set(sent).size, 250);
    t.false(sent.includes('proved'));
  });
}

test('what a broker did not take is sent again soon, however often it refused', async (t) => {
  const { sql, clock, sent, broker } = await sweeping(t);
  broker.isRefusing = true;
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('eval', 1, 'm', 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(), now())`;
  for (let round = 1; round <= 3; round += 1) {
    const since = await now();
    await sweptUntil(() => sent.length === round);
    const put = await eventually(putOff, ({ attempts }) => attempts === 0);
    // A busy machine looks when the time is long over.
    t.true(put.at - since > 1 && put.seconds <= 5, `${put.at - since} s, ${put.seconds} s`);
    await sql`update rt.outbox set next_at = now()`;
  }
  broker.isRefusing = false;
  await sweptUntil(() => sent.length === 4);
  // It was taken: whoever is slow is not buried under repeats.
  t.is((await putOff()).attempts, 1);
  t.true((await putOff()).seconds > 60);

  async function sweptUntil(isDone: () => boolean) {
    await eventually(async () => {
      // Or another sweep would begin, and send again what the test makes due for the next one.
      if (!isDone()) await clock.advance(1_000);
      return isDone();
    }, Boolean);
  }
  async function now() {
    const [row] = await sql<{ at: number }[]>`select extract(epoch from now())::float8 as at`;
    return row?.at ?? 0;
  }
  async function putOff() {
    const [row] = await sql<{ attempts: number; at: number; seconds: number }[]>`
      select attempts, extract(epoch from next_at)::float8 as at,
        extract(epoch from next_at - now())::float8 as seconds
      from rt.outbox`;
    return row ?? { attempts: -1, at: 0, seconds: 0 };
  }
});

test('of a pile that a broker may have lost some thousands are made due, a step at a time', async (t) => {
  for (const { piled, steps } of [
    { piled: 2_500, steps: [1_000, 1_000, 500] },
    { piled: 1_000_000, steps: Array.from({ length: 10 }, () => 1_000) },
  ]) {
    const hastened: number[] = [];
    let left = piled;
    const { clock } = await sweeping(t, {
      hasten: async (_withinMs, limit) => {
        const count = Math.min(limit, left);
        left -= count;
        hastened.push(count);
        return count;
      },
    });
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await until(() => clock.isAwaited(clock.monotonicMs() + 1_000));
      await clock.advance(1_000);
    }
    await until(() => clock.isAwaited(clock.monotonicMs() + 1_000));
    t.deepEqual(hastened, steps);
  }
});

test('what a broker may have lost with its store is sent at once, by one of all hosts', async (t) => {
  const { sql, clock, sent, broker } = await sweeping(t);
  const put = async (...ids: readonly string[]) => {
    await sql`
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part,
                             target_consumer, headers, body, at, next_at)
      select 'eval', 1, id, 'fact.x', 'eval', 1, 'projector', '{}', '{}', now(),
        now() + interval '1 hour'
      from unnest(${[...ids]}::text[]) as id`;
  };
  const waits = async () => {
    const rows = await sql<{ seconds: number }[]>`
      select extract(epoch from next_at - now())::float8 as seconds from rt.outbox`;
    return rows.map(({ seconds }) => Math.ceil(seconds / 60));
  };
  const untilSent = async (...ids: readonly string[]) => {
    await eventually(
      async () => {
        await clock.advance(1_000);
        return sent.length;
      },
      (count) => count >= ids.length,
    );
    t.deepEqual(sent.splice(0).sort(), ids);
  };
  // Who was just started takes what there is for lost as well, once.
  await put('before');
  await untilSent('before');
  await sql`delete from rt.outbox`;

  await put('1', '2', '3');
  await clock.advance(5_000);
  t.deepEqual(await waits(), [60, 60, 60]);

  broker.wasStarted();
  await untilSent('1', '2', '3');
  await clock.advance(5_000);
  t.deepEqual(sent, []);
});
