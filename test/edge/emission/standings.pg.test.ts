import test, { type ExecutionContext } from 'ava';
import { CurrentStandings } from '../../../apps/edge/emission/standings.ts';
import type { CommandBus, OutgoingCommand } from '../../../infra/ports/bus.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { Fault } from '../../../machines/fault.ts';
import { testDatabase } from '../../support/cluster.ts';

/** The owner refuses what is later. */
const believed = 1_000_000;

/** An edge whose chain says `epoch`, and an owner that stores what it is asked for. */
async function world(t: ExecutionContext, epoch: number | undefined) {
  const { sql } = await testDatabase(t);
  const commands: OutgoingCommand[] = [];
  const store = async (epochIndex: number) => {
    await sql`
      insert into epoch_standings (epoch_index, body, body_sha256, made_at)
      values (${epochIndex}, ${`epoch ${epochIndex}`}, 'x', rt.clock())
      on conflict do nothing`;
  };
  const bus: CommandBus = {
    command: async (_target, command) => {
      commands.push(command);
      const { epochIndex } = command.body as { epochIndex: number };
      if (epochIndex > believed) throw new Fault('CHAIN_UNAVAILABLE', 'too far');
      await store(epochIndex);
      return { epochIndex };
    },
    call: () => Promise.reject(new Error('no service is asked')),
  };
  const chain = { epoch };
  const chainEpoch = { current: async () => chain.epoch };
  const errors: string[] = [];
  const log = { error: (message: string) => errors.push(message) };
  const deps = { sql, bus, log, epochBlocks: 360 };
  const standings = new CurrentStandings({ ...deps, chainEpoch });
  const simulated = new CurrentStandings({ ...deps, chainEpoch: undefined });
  return { sql, standings, simulated, store, commands, chain, errors };
}

/** A run that succeeded just now, and nothing of what it belongs to. */
async function finishRun(sql: Sql, hotkey: string): Promise<void> {
  await transaction(sql, {}, async (own) => {
    await own`set local session_replication_role = replica`;
    await own`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                  execution_kind, validator_hotkey, slot, fence, status, claimed_at,
                                  lease_expires_at, completed_at, expected_items)
      values (gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING', 'ENVPACK', ${hotkey},
              0, 1, 'SUCCESS', rt.clock(), rt.clock(), rt.clock(), 1)`;
  });
}

test('an epoch is asked for under one id by all who need it first, and never again', async (t) => {
  const { standings, commands } = await world(t, 7);

  const answers = await Promise.all(Array.from({ length: 20 }, () => standings.for('validator')));
  const asked = commands.length;
  await standings.for('validator');

  t.deepEqual(new Set(answers.map(({ body }) => body)), new Set(['epoch 7']));
  // Whoever looked before the first answer and came to ask after it asks once more, to no effect.
  t.is(new Set(commands.map(({ id }) => id)).size, 1);
  t.is(commands.length, asked);
});

test('validators who ask together are each told whether they finished something', async (t) => {
  const { standings, sql, store } = await world(t, 7);
  await store(7);
  await finishRun(sql, 'busy');

  const [busy, idle, again] = await Promise.all(
    ['busy', 'idle', 'busy'].map((hotkey) => standings.for(hotkey)),
  );
  t.deepEqual([busy?.isEligible, idle?.isEligible, again?.isEligible], [true, false, true]);
});

test('the same epoch is the same command from every edge', async (t) => {
  const here = await world(t, 7);
  const there = await world(t, 7);
  await Promise.all([here.standings.for('a'), there.standings.for('b')]);

  t.is(here.commands[0]?.id, there.commands[0]?.id);
});

test('a chain that is behind what is stored, or away, leads to the newest stored epoch', async (t) => {
  const { standings, store, commands, chain } = await world(t, 7);
  await store(9);

  t.is((await standings.for('validator')).epochIndex, 9);
  chain.epoch = undefined;
  t.is((await standings.for('validator')).epochIndex, 9);
  t.deepEqual(commands, []);
});

test('without a chain and without any epoch there is nothing to serve', async (t) => {
  const { standings } = await world(t, undefined);

  const error = await t.throwsAsync(standings.for('validator'), { instanceOf: Fault });
  t.is(error?.code, 'CHAIN_UNAVAILABLE');
});

test('an epoch that is refused is told to all who ask, and once to the log', async (t) => {
  const { standings, chain, errors } = await world(t, 7);
  await standings.for('validator');
  chain.epoch = 2 ** 40;
  for (let count = 0; count < 3; count += 1) {
    const error = await t.throwsAsync(standings.for('validator'), { instanceOf: Fault });
    t.is(error?.code, 'CHAIN_UNAVAILABLE');
  }
  t.deepEqual(errors, ['the chain node names an epoch that it cannot be']);

  chain.epoch = 8;
  t.is((await standings.for('validator')).epochIndex, 8);
});

test('a simulated clock stands for the chain', async (t) => {
  const { simulated } = await world(t, undefined);

  const { epochIndex } = await simulated.for('validator');
  t.true(Math.abs(epochIndex - Date.now() / 4_320_000) < 2);
});
