import type { RaceBundle } from '../../machines/race/bundle.ts';
import { bannedDoubt } from './compare-discards.ts';
import { fallenTops, unfinishedSurvivors } from './compare-field.ts';
import type { Comparison } from './difference.ts';

/** Of what only the pages tell, that on which somebody's place hangs. */
export function doubtWithoutPages(bundle: RaceBundle, to: Comparison): void {
  for (const { agent_version_id: id, unfinished_reason: reason } of bundle.entrants) {
    if (reason === 'BANNED') to.doubt(bannedDoubt(id));
    if (reason === 'DISCARDED') {
      to.doubt(`version ${id} is said to be discarded: only its public status tells`);
    }
  }
  for (const { agent_version_id: id } of fallenTops(bundle)) {
    to.doubt(`version ${id} is said to have been top at the close: only the public history tells`);
  }
  for (const { agent_version_id: id } of unfinishedSurvivors(bundle)) {
    to.doubt(
      `version ${id} is said to have survived a race that it did not finish: only its page tells`,
    );
  }
}
