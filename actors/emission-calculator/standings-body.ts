import { standingsOf, standingsText } from '../../machines/emission/standings.ts';
import type { Ground } from './store.ts';

/** The whole answer of an eligible validator, as it is stored and served. */
export function standingsBody(epochIndex: number, ground: Ground): string {
  const standings = standingsText(standingsOf(ground));
  const head = `"eligible":true,"epoch_index":${epochIndex},"weight_overlay":{}`;
  return `{${head},"epoch_standings":${standings}}`;
}
