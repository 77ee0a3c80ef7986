import { divideHalfEven, fourPlaces } from './exact.ts';

export interface MarginPolicy {
  readonly marginInitialMicro: number;
  readonly marginFloorMicro: number;
  readonly marginHalfLifeMs: number;
}

/** Binary places of the fixed point: some 77 decimal digits, of which four are wanted. */
const places = 256n;
const one = 1n << places;
const microPerTenThousandth = 100n;

/**
 * By how much a challenger must beat a top that has reigned for `reignMs`: it falls from the initial
 * margin to the floor, by half in each half-life. Integers alone, so that every machine rounds alike.
 */
export function marginAfter(reignMs: number, policy: MarginPolicy): string {
  const floor = BigInt(policy.marginFloorMicro);
  const decay = BigInt(policy.marginInitialMicro) - floor;
  const micro = floor * one + decay * halving(BigInt(Math.max(0, Math.floor(reignMs))), policy);
  return fourPlaces(divideHalfEven(micro, microPerTenThousandth * one));
}

/** 2^(−elapsed ÷ half-life): whole half-lives shift, the rest is e^(−rest × ln 2). */
function halving(elapsedMs: bigint, { marginHalfLifeMs }: MarginPolicy): bigint {
  const halfLifeMs = BigInt(marginHalfLifeMs);
  const exponent = ((elapsedMs % halfLifeMs) * ln2) / halfLifeMs;
  return expOfNegative(exponent) >> (elapsedMs / halfLifeMs);
}

function expOfNegative(exponent: bigint): bigint {
  let sum = 0n;
  let term = one;
  for (let k = 1n; term !== 0n; k++) {
    sum += term;
    // The term's sign alternates; division towards 0 ends the series on either side.
    term = (-term * exponent) / (k * one);
  }
  return sum;
}

/** 2 artanh(1/3) = 2 Σ 1 ÷ ((2k + 1) 3^(2k + 1)). */
function naturalLogOfTwo(): bigint {
  let sum = 0n;
  let power = one / 3n;
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd;
    power /= 9n;
  }
  return 2n * sum;
}

const ln2 = naturalLogOfTwo();
