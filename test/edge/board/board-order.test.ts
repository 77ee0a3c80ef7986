import test from 'ava';
import { BoardOrder } from '../../../apps/edge/board/board-order.ts';
import { Column } from '../../../apps/edge/board/column.ts';
import { Miners } from '../../../apps/edge/board/miners.ts';

/** Knows how many versions were met on the way through agents. */
class CountedMiners extends Miners {
  met = 0;

  override *versionsOfAgent(agent: number): Generator<number> {
    for (const version of super.versionsOfAgent(agent)) {
      this.met += 1;
      yield version;
    }
  }
}

interface Shape {
  readonly agents: number;
  readonly versionsOfEach: number;
  /** Of each agent; the newest ones. */
  readonly shownOfEach: number;
}

/** An order of the versions of agents with names of their own, the newest version first. */
function orderOf(...shapes: (Shape & { readonly name: string })[]) {
  const miners = new CountedMiners();
  const agentOf = new Column(Uint32Array);
  const shown = new Set<number>();
  const order = new BoardOrder({
    miners,
    agentOf,
    isShown: (version) => shown.has(version),
    compare: (left, right) => right - left,
    isMovedBy: () => false,
  });
  let version = 0;
  for (const { name, agents, versionsOfEach, shownOfEach } of shapes) {
    for (let at = 0; at < agents * versionsOfEach; at += 1) {
      const agent = { agentName: `${name} ${at % agents}`, minerHotkey: `5Hot${at % agents}` };
      agentOf.set(version, miners.addVersion(agent, version));
      if (at >= agents * (versionsOfEach - shownOfEach)) shown.add(version);
      order.add(version);
      version += 1;
    }
  }
  const search = async (text: string, offset: number) =>
    await miners.search(
      text,
      order.ofAgent,
      async () => undefined,
      (hits) => ({ total: hits.total, places: order.places({ offset, limit: 3 }, hits) }),
    );
  return { order, miners, search };
}

test('a search of a short order breaks off at one version more than are in it', async (t) => {
  const { order, miners, search } = orderOf(
    { name: 'raced', agents: 50, versionsOfEach: 400, shownOfEach: 2 },
    { name: 'never', agents: 100, versionsOfEach: 100, shownOfEach: 0 },
  );
  t.is(order.size, 100);

  t.deepEqual(await search('5', 98), { total: 100, places: [98, 99] });
  t.true(miners.met <= order.size + 1, `${miners.met} versions were met`);
});

test('agents of whom nothing is shown cost a search none of their versions', async (t) => {
  const { miners, search } = orderOf(
    { name: 'careful', agents: 1, versionsOfEach: 2, shownOfEach: 2 },
    { name: 'careless', agents: 10, versionsOfEach: 100, shownOfEach: 0 },
    { name: 'bold', agents: 100, versionsOfEach: 1, shownOfEach: 1 },
  );
  t.deepEqual(await search('care', 0), { total: 2, places: [100, 101] });
  t.is(miners.met, 2);
});

test('few hits among many versions of the same agents are met on the way down a long order', async (t) => {
  const { miners, search } = orderOf(
    { name: 'careful', agents: 2, versionsOfEach: 20_000, shownOfEach: 2 },
    { name: 'bold', agents: 10, versionsOfEach: 3_000, shownOfEach: 3_000 },
  );
  t.deepEqual(await search('careful', 1), { total: 4, places: [30_001, 30_002, 30_003] });
  t.true(miners.met <= 16_385, `${miners.met} versions were met`);
});
