/** What the speed of the machine may change during a block before its figures are called noisy. */
const driftMax = 0.2;

export interface Measured {
  /** How much slower the same reckoning was after than before; 1 is none. */
  readonly drift: number;
  /** Why there are no figures. */
  readonly failure?: string;
}

export function isNoisy({ drift }: Measured): boolean {
  return Math.abs(drift - 1) > driftMax;
}

/**
 * Measures again while the machine moved, and takes the steadiest where it never kept still. What failed
 * stands: a wrong answer is no noise, and luck must not wipe it out.
 */
export async function repeatedWhileNoisy<T extends Measured>(
  measure: () => Promise<T>,
  repeatsMax: number,
): Promise<T & { readonly repeats: number }> {
  let steadiest = await measure();
  let repeats = 0;
  while (repeats < repeatsMax && steadiest.failure === undefined && isNoisy(steadiest)) {
    const again = await measure();
    repeats += 1;
    const isSteadier = Math.abs(Math.log(again.drift)) < Math.abs(Math.log(steadiest.drift));
    if (isSteadier || again.failure !== undefined) steadiest = again;
  }
  return { ...steadiest, repeats };
}
