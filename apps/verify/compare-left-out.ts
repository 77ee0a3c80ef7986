import { z } from 'zod';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { Comparison } from './difference.ts';
import { nearMs } from './live/checks/check.ts';
import { readPage } from './public-page.ts';
import type { Service } from './whole-answer.ts';

const entry = z.object({
  agent_version_id: z.string(),
  miner_hotkey: z.string(),
  qualifying_score: z.number().nullable(),
  eligible_at: z.string(),
  eliminated_at: z.string().nullable(),
  is_miner_banned: z.boolean(),
});
type Entry = z.infer<typeof entry>;

const leaderboard = z.object({ entries: z.array(entry) });
const pageEntries = 500;

/**
 * Of each hotkey the best version that could have raced, by the suite's leaderboard of now, against the one
 * that did. The board says since when a version is eligible, not with which score it was so then.
 */
export async function compareLeftOut(service: Service, bundle: RaceBundle, to: Comparison) {
  const racing = new Map(bundle.entrants.map((each) => [each.miner_hotkey, each]));
  const seen = new Set<string>();
  for (const each of await qualifiedAtClose(service, bundle.race)) {
    const { agent_version_id: id, miner_hotkey: hotkey, qualifying_score: score } = each;
    if (seen.has(hotkey)) continue;
    seen.add(hotkey);
    const entrant = racing.get(hotkey);
    if (entrant?.qualification_type === 'PINNED') continue;
    if (Number(entrant?.qualifying_score ?? -1) >= Number(score)) continue;
    const instead =
      entrant === undefined ? 'has no entrant' : `raced with ${entrant.qualifying_score}`;
    to.doubt(
      `version ${id} had qualified with ${score} at the close, and its hotkey ${hotkey} ${instead}: ` +
        'a ban or a discard that was taken back, or another score then, would be why',
    );
  }
}

/** The best first, as the board has them. */
async function qualifiedAtClose(
  service: Service,
  { suite_id, closed_at, policy }: RaceBundle['race'],
): Promise<readonly Entry[]> {
  const threshold = Number(policy.qualifyingThreshold);
  const isAbove = ({ qualifying_score: score }: Entry) => score !== null && score >= threshold;
  const found: Entry[] = [];
  for (let offset = 0; ; offset += pageEntries) {
    const query = `suite_id=${suite_id}&limit=${pageEntries}&offset=${offset}`;
    const { entries } = await readPage(service, `/v1/public/leaderboard?${query}`, leaderboard);
    const above = entries.filter(isAbove);
    found.push(...above.filter((each) => couldRace(each, closed_at)));
    if (above.length < pageEntries) return found;
  }
}

/** A ban that still stands is on the board, and why enough. */
function couldRace(each: Entry, closedAt: number): boolean {
  const { eligible_at: eligibleAt, eliminated_at: eliminatedAt, is_miner_banned: isBanned } = each;
  if (isBanned || Date.parse(eligibleAt) > closedAt - nearMs) return false;
  return eliminatedAt === null || Date.parse(eliminatedAt) > closedAt;
}
