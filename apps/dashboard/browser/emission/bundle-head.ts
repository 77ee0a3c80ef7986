import type { RaceBundle } from '../../../../machines/race/bundle.ts';

/** Who raced, under which rules, and who got what of it. */
export type BundleHead = Pick<RaceBundle, 'emission' | 'entrants' | 'race'>;

/**
 * The keys of a bundle stand in order, so all of the head comes before this one, and the runs behind it
 * are many times larger. A quotation mark within a string has a backslash before it: no text of anybody
 * looks like this key.
 */
const restBegins = ',"runs":';

/** Of a bundle's text as far as it was read; undefined while some of the head is still to come. */
export function headOf(text: string): BundleHead | undefined {
  const end = text.indexOf(restBegins);
  return end === -1 ? undefined : JSON.parse(`${text.slice(0, end)}}`);
}
