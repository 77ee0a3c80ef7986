import { microOfNumber, microPerUnit } from '../../../machines/scoring/micro.ts';
import { scoreIn } from './score.ts';

/** A ten-thousandth in millionths: how exactly thresholds are kept. */
export const microPerTenThousandth = 100;

/** Rounding in silence would set another rule than the one that was asked for. */
export const shareIn = scoreIn.refine(
  (value) => microOfNumber(value) / microPerUnit === value,
  'must have at most six decimal places',
);

export const thresholdIn = shareIn.refine(
  (value) => microOfNumber(value) % microPerTenThousandth === 0,
  'must have at most four decimal places',
);
