import type { Ground } from './store.ts';

const microPerUnit = 1_000_000;

/**
 * The whole answer of an eligible validator, as it is stored and served. Finishers stand in a total
 * order: score descending, then version id; the top's own are paid as the top's.
 */
export function standingsBody(epochIndex: number, ground: Ground): string {
  const { topHotkey, burnRateMicro } = ground;
  const tail = ground.finishers
    .filter(({ minerHotkey }) => minerHotkey !== topHotkey)
    .toSorted(
      (a, b) => descending(a.rawScore, b.rawScore) || ascending(a.agentVersionId, b.agentVersionId),
    );
  return JSON.stringify({
    eligible: true,
    epoch_index: epochIndex,
    weight_overlay: {},
    epoch_standings: {
      top_hotkey: topHotkey,
      t_burn: burnRateMicro / microPerUnit,
      finishers: tail.map(({ minerHotkey, agentVersionId, rawScore }) => ({
        miner_hotkey: minerHotkey,
        agent_version_id: agentVersionId,
        race_score: Number(rawScore),
      })),
    },
  });
}

const ascending = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
/** Texts of one length: they compare as their numbers do. */
const descending = (a: string, b: string) => ascending(b, a);
