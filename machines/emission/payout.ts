import { decimalText, divideHalfEven } from '../scoring/exact.ts';
import { unitsPerRace } from './split.ts';

/** Texts with as many places as the coin has: 9 of TAO, 2 of USD. */
export interface Payout {
  readonly taoPerDay: string | null;
  readonly usdPerDay: string | null;
}

const taoPlaces = 9;
const usdPlaces = 2;

/**
 * What `units` of 10^-18 are worth in a day, as far as the day's emission (TAO) and the price of a
 * TAO (USD) are known; both are decimals of at most nine places.
 */
export function estimatePayout(
  units: bigint,
  taoOfDay: string | undefined,
  usdOfTao: string | undefined,
): Payout {
  if (taoOfDay === undefined) return { taoPerDay: null, usdPerDay: null };
  const nanoTao = divideHalfEven(nano(taoOfDay) * units, unitsPerRace);
  const taoPerDay = decimalText(nanoTao, taoPlaces);
  if (usdOfTao === undefined) return { taoPerDay, usdPerDay: null };
  const cents = divideHalfEven(nano(usdOfTao) * nanoTao, 10n ** BigInt(2 * taoPlaces - usdPlaces));
  return { taoPerDay, usdPerDay: decimalText(cents, usdPlaces) };
}

function nano(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(taoPlaces, '0'));
}
