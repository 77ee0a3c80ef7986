import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { Comparison } from './difference.ts';
import { nearMs } from './live/checks/check.ts';
import type { RacePage } from './race-page.ts';
import { readStatus, type VersionStatus } from './version-status.ts';
import type { Service } from './whole-answer.ts';

export interface Discards {
  readonly service: Service;
  readonly bundle: RaceBundle;
  readonly page: RacePage;
}

/** Where the public status leaves it open, why it does. */
type Discarded = boolean | { readonly doubt: string };

/**
 * Whoever was thrown out as discarded was so at the end of the race, by the public status of its
 * version, and whoever was so was thrown out. Only of those is the status asked that may be concerned.
 */
export async function compareDiscards({ service, bundle, page }: Discards, to: Comparison) {
  const now = new Set(
    page.qualifiers.flatMap((each) => (each.is_discarded ? [each.agent_version_id] : [])),
  );
  for (const { agent_version_id: id, unfinished_reason: reason } of bundle.entrants) {
    if (reason === 'BANNED') to.doubt(bannedDoubt(id));
    const isSaid = reason === 'DISCARDED';
    if (!isSaid && !now.has(id)) continue;
    const status = await readStatus(service, id);
    const discarded = discardedAt(status, bundle.race.completed_at, isSaid);
    if (typeof discarded === 'boolean') {
      to.published(`version ${id}, discarded by the end of the race`, isSaid, discarded);
    } else to.doubt(`version ${id} ${discarded.doubt}`);
  }
}

export const bannedDoubt = (id: string) =>
  `version ${id} is said to be banned, and bans are not public`;

function discardedAt({ timeline }: VersionStatus, endMs: number, isSaid: boolean): Discarded {
  const turns = timeline
    .filter(({ event }) => event === 'discarded' || event === 'reinstated')
    .map(({ event, at }) => ({ event, atMs: Date.parse(at) }));
  const near = turns.find(({ atMs }) => Math.abs(atMs - endMs) <= nearMs);
  if (near !== undefined) {
    return { doubt: `was ${near.event} within seconds of the end of the race` };
  }
  const last = turns.findLast(({ atMs }) => atMs < endMs);
  if (last !== undefined) return last.event === 'discarded';
  // The oldest entries of a long timeline are left out: what is there still says what was before it.
  if (turns[0] !== undefined) return turns[0].event === 'reinstated';
  const isWhole = timeline.some(({ event }) => event === 'submitted');
  if (isWhole || !isSaid) return false;
  return { doubt: 'is said to be discarded, and its public timeline does not go back so far' };
}
