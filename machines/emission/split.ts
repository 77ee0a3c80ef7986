import { type Survivor, tailOf } from './tail.ts';
import { emissionWeights } from './weights.ts';

/** The emissions of one race, in units of 10^-18 of it. */
export const unitsPerRace = 10n ** 18n;

export interface EmissionPart {
  /** 0 burn, 1 top, 2 … the tail in order; without a top there is no 1. */
  readonly position: number;
  readonly seat: 'BURN' | 'TOP' | 'TAIL';
  /** Null for the burn. */
  readonly agentVersionId: string | null;
  readonly minerHotkey: string | null;
  /** Integers as text. */
  readonly weight: string;
  readonly units: string;
}

type Payee = Pick<Survivor, 'agentVersionId' | 'minerHotkey'>;

export interface Payees {
  readonly burnRateMicro: number;
  /** Who reigns after the race; null when nobody does. */
  readonly top: Payee | null;
  readonly survivors: readonly Survivor[];
}

interface Seat extends Pick<EmissionPart, 'position' | 'seat'> {
  readonly payee: Payee | null;
  readonly weight: bigint;
}

/** Who gets what of a race. The units sum to exactly 10^18, and none is negative. */
export function splitEmission(payees: Payees): readonly EmissionPart[] {
  const seats = seatsOf(payees);
  const total = seats.reduce((sum, { weight }) => sum + weight, 0n);
  const shares = seats.map(({ weight }) => (weight * unitsPerRace) / total);
  // Floors leave less than one unit per seat: to the burn, or to the top where nothing is burned.
  const rest = unitsPerRace - shares.reduce((sum, share) => sum + share, 0n);
  const restSeat = seats.findIndex(({ weight }) => weight > 0n);
  return seats.map(({ position, seat, payee, weight }, index) => ({
    position,
    seat,
    agentVersionId: payee?.agentVersionId ?? null,
    minerHotkey: payee?.minerHotkey ?? null,
    weight: weight.toString(),
    units: ((shares[index] ?? 0n) + (index === restSeat ? rest : 0n)).toString(),
  }));
}

/** Burn, top and tail in this order; either of the first two has the largest weight. */
function seatsOf({ burnRateMicro, top, survivors }: Payees): readonly Seat[] {
  const tail = tailOf(survivors, top?.minerHotkey ?? null);
  const hasTop = top !== null;
  const weights = emissionWeights({ burnRateMicro, hasTop, tailCount: tail.length });
  const ofTop: Seat[] =
    weights.top === null ? [] : [{ position: 1, seat: 'TOP', payee: top, weight: weights.top }];
  return [
    { position: 0, seat: 'BURN', payee: null, weight: weights.burn },
    ...ofTop,
    ...tail.map((payee, index): Seat => {
      return { position: index + 2, seat: 'TAIL', payee, weight: weights.tail[index] ?? 0n };
    }),
  ];
}
