import test from 'ava';
import fc from 'fast-check';
import { headOf } from '../../../apps/dashboard/browser/emission/bundle-head.ts';
import {
  payeesOf,
  splitOf,
  stacked,
} from '../../../apps/dashboard/browser/emission/race-splits.ts';
import { canonicalJson } from '../../../machines/canonical-json.ts';
import { type EmissionPart, splitEmission } from '../../../machines/emission/split.ts';
import { versionId } from '../../support/race-fields.ts';

type Head = NonNullable<ReturnType<typeof headOf>>;
type Entrant = Head['entrants'][number];

const seatOf = (part: EmissionPart): Head['emission'][number] => ({
  position: part.position,
  seat: part.seat,
  agent_version_id: part.agentVersionId,
  miner_hotkey: part.minerHotkey,
  weight: part.weight,
  units: part.units,
});

const entrant = (index: number, rank: number | null, isEliminated = false) =>
  ({
    ...{ agent_version_id: versionId(index), agent_name: `agent ${index}`, version_number: 1 },
    ...{ miner_hotkey: `miner-${index}`, race_rank: rank, is_eliminated: isEliminated },
  }) as Entrant;

const top = { agentVersionId: versionId(1), minerHotkey: 'miner-1' };
const survivor = (index: number, rawScore: string) => ({
  ...{ agentVersionId: versionId(index), minerHotkey: `miner-${index}`, rawScore },
});

// Names that look like the end of the head, and characters that are cut within.
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(',"runs":', '\\,"runs":[', ','),
);

test('the head of a bundle is told exactly when all of it came in', (t) => {
  const property = fc.property(fc.array(name, { maxLength: 4 }), name, (names, ofTask) => {
    const entrants = names.map((agent_name) => ({ agent_name }));
    const head = { emission: [], entrants, format: 'f', race: { race_id: 'r' } };
    const rest = { runs: [{ failure_class: ofTask }], tasks: [{ task_id: ofTask }] };
    const text = canonicalJson({ ...head, ...rest });
    const firstWhole = canonicalJson(head).length - 1 + ',"runs":'.length;
    for (let end = 0; end <= text.length; end++) {
      const told: unknown = headOf(text.slice(0, end));
      if (end < firstWhole) t.is(told, undefined);
      else if (end === firstWhole || end === text.length) t.deepEqual(told, head);
    }
  });

  t.notThrows(() => fc.assert(property, { numRuns: 50 }));
});

test('top, survivors and burn are the whole of every race', (t) => {
  const rate = fc.oneof(fc.constantFrom(0, 1_000_000), fc.integer({ min: 0, max: 1_000_000 }));
  const payees = fc.record({
    burnRateMicro: rate,
    top: fc.constantFrom(top, null),
    survivors: fc
      .integer({ min: 0, max: 300 })
      .map((count) => Array.from({ length: count }, (_, at) => survivor(at + 2, '0.5000'))),
  });
  const property = fc.property(payees, (each) => {
    const parts = splitEmission(each);
    const split = splitOf({ emission: parts.map(seatOf) });
    const bars = stacked(split, ['top', 'tail', 'burn']);
    const isStacked = bars.every(({ from }, at) => from === (bars[at - 1]?.until ?? 0));
    const isWhole = Math.abs((bars.at(-1)?.until ?? 0) - 1) < 1e-12;
    // A top beside a burn of nearly all has no weight on chain, and so nothing.
    const isTopPaid = parts.some(({ seat, units }) => seat === 'TOP' && units !== '0');
    return isStacked && isWhole && split.top > 0 === isTopPaid;
  });

  const nearlyAll = { burnRateMicro: 999_993, top, survivors: [] };
  t.notThrows(() => fc.assert(property, { examples: [[nearlyAll]] }));
});

test('finishers are told by what each was paid, and those without a part after them', (t) => {
  const survivors = [survivor(2, '0.4000'), survivor(3, '0.6000')];
  const emission = splitEmission({ burnRateMicro: 0, top, survivors }).map(seatOf);
  const entrants = [
    entrant(5, null, true),
    entrant(4, 4, true),
    entrant(3, 3),
    entrant(2, 2),
    entrant(1, 1),
  ];
  const told = payeesOf({ emission, entrants });

  t.deepEqual(
    told.map(({ entrant: of, seat }) => [of?.agent_name, seat?.seat]),
    [
      ['agent 1', 'TOP'],
      ['agent 3', 'TAIL'],
      ['agent 2', 'TAIL'],
      ['agent 4', undefined],
    ],
  );
  t.is(told[1]?.share.toFixed(12), (2 / 65_538).toFixed(12));
});

test('a top whose owner sent another version is paid and told', (t) => {
  const emission = splitEmission({ burnRateMicro: 0, top, survivors: [survivor(2, '0.4000')] });
  const [first, second] = payeesOf({ emission: emission.map(seatOf), entrants: [entrant(2, 1)] });

  t.deepEqual([first?.agentVersionId, first?.entrant], [versionId(1), undefined]);
  t.is(second?.seat?.seat, 'TAIL');
});
