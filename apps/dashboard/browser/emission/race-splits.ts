import { shareOf } from '../format.ts';
import type { BundleHead } from './bundle-head.ts';

/** Shares of one race; they sum to one. */
export interface RaceSplit {
  readonly top: number;
  readonly tail: number;
  readonly burn: number;
}

const kinds = { TOP: 'top', TAIL: 'tail', BURN: 'burn' } as const;

/** Added up as integers: a share of a long tail is smaller than what a sum of fractions loses. */
export function splitOf({ emission }: Pick<BundleHead, 'emission'>): RaceSplit {
  const units = { top: 0n, tail: 0n, burn: 0n };
  for (const seat of emission) units[kinds[seat.seat]] += BigInt(seat.units);
  return { top: shareOf(units.top), tail: shareOf(units.tail), burn: shareOf(units.burn) };
}

type Entrant = BundleHead['entrants'][number];
type Seat = BundleHead['emission'][number];

/** Somebody who finished the race, or is paid for it. */
export interface Payee {
  readonly agentVersionId: string;
  /** Undefined for a top that did not race: its owner sent another version. */
  readonly entrant: Entrant | undefined;
  /** Undefined for whoever gets nothing. */
  readonly seat: Seat | undefined;
  readonly share: number;
}

/** Whoever gets most first, then by rank. */
export function payeesOf({
  emission,
  entrants,
}: Pick<BundleHead, 'emission' | 'entrants'>): readonly Payee[] {
  const entrantById = new Map(entrants.map((each) => [each.agent_version_id, each]));
  const seatById = new Map(emission.map((each) => [each.agent_version_id, each]));
  const finishers = entrants.filter(({ race_rank: rank }) => rank !== null);
  const ids = [...emission, ...finishers].flatMap(({ agent_version_id: id }) => id ?? []);
  return [...new Set(ids)]
    .map((id): Payee => {
      const [entrant, seat] = [entrantById.get(id), seatById.get(id)];
      return { agentVersionId: id, entrant, seat, share: shareOf(BigInt(seat?.units ?? 0)) };
    })
    .toSorted((a, b) => b.share - a.share || rankOf(a) - rankOf(b));
}

const rankOf = ({ entrant }: Payee) => entrant?.race_rank ?? Number.MAX_SAFE_INTEGER;

export interface Bar<Name> {
  readonly name: Name;
  readonly from: number;
  readonly until: number;
}

/** Each on top of the one before, from zero to their sum. */
export function stacked<Name extends string>(
  parts: Readonly<Record<Name, number>>,
  order: readonly Name[],
): readonly Bar<Name>[] {
  let from = 0;
  return order.map((name) => {
    const bar = { name, from, until: from + parts[name] };
    from = bar.until;
    return bar;
  });
}
