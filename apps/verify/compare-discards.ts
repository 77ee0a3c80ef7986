import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { Comparison } from './difference.ts';
import { nearMs } from './live/checks/check.ts';
import type { RacePage } from './race-page.ts';
import { readStatus, type VersionStatus } from './version-status.ts';

export interface Discards {
  readonly url: string;
  readonly bundle: RaceBundle;
  readonly page: RacePage;
}

/** Where the public status leaves it open, why it does. */
type Discarded = boolean | { readonly doubt: string };

/**
 * Whoever was thrown out as discarded was so at the end of the race, by the public status of its
 * version, and whoever was so was thrown out. Only of those is the status asked that may be concerned.
 */
export async function compareDiscards({ url, bundle, page }: Discards, to: Comparison) {
  const now = new Set(
    page.qualifiers.flatMap((each) => (each.is_discarded ? [each.agent_version_id] : [])),
  );
  for (const { agent_version_id: id, unfinished_reason: reason } of bundle.entrants) {
    if (reason === 'BANNED') to.doubt(bannedDoubt(id));
    const isSaid = reason === 'DISCARDED';
    if (!isSaid && !now.has(id)) continue;
    const status = await readStatus(url, id);
    const discarded = discardedAt(status, bundle.race.completed_at, isSaid);
    if (typeof discarded === 'boolean') {
      to.published(`version ${id}, discarded by the end of the race`, isSaid, discarded);
    } else to.doubt(`version ${id} ${discarded.doubt}`);
  }
}

export const bannedDoubt = (id: string) =>
  `version ${id} is said to be banned, and bans are not public`;

function discardedAt(status: VersionStatus, endMs: number, isSaid: boolean): Discarded {
  const { state, timeline } = status;
  const discards = timeline
    .filter(({ event }) => event === 'discarded')
    .map(({ at }) => Date.parse(at));
  if (discards.some((at) => Math.abs(at - endMs) <= nearMs)) {
    return { doubt: 'was discarded within seconds of the end of the race' };
  }
  const isWhole = timeline.some(({ event }) => event === 'submitted');
  const before = discards.some((at) => at < endMs);
  if (!before) {
    if (isWhole || !isSaid) return false;
    return { doubt: 'is said to be discarded, and its public timeline does not go back so far' };
  }
  if (discards.some((at) => at > endMs)) {
    const when = 'when the first was taken back is not public';
    return { doubt: `was discarded before the end of the race and again later: ${when}` };
  }
  if (state === 'DISCARDED') return true;
  const when = 'when that was taken back is not public';
  return { doubt: `was discarded before the end of the race and is not now: ${when}` };
}
