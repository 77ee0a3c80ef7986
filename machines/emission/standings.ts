import { canonicalJson } from '../canonical-json.ts';
import { microOfNumber, microPerUnit } from '../scoring/micro.ts';
import { type Survivor, tailOf } from './tail.ts';
import { emissionWeights } from './weights.ts';

/** What validators set their weights from, as it is on the wire. */
export interface Standings {
  readonly top_hotkey: string | null;
  readonly t_burn: number;
  /** The tail in its order: without the top's hotkey. */
  readonly finishers: readonly {
    readonly miner_hotkey: string;
    readonly agent_version_id: string;
    readonly race_score: number;
  }[];
}

export interface StandingsGround {
  readonly burnRateMicro: number;
  /** Null when nobody reigns. */
  readonly topHotkey: string | null;
  /** Of the latest completed race, in any order. */
  readonly survivors: readonly Survivor[];
}

export function standingsOf({ burnRateMicro, topHotkey, survivors }: StandingsGround): Standings {
  return {
    top_hotkey: topHotkey,
    t_burn: burnRateMicro / microPerUnit,
    finishers: tailOf(survivors, topHotkey).map(({ minerHotkey, agentVersionId, rawScore }) => ({
      miner_hotkey: minerHotkey,
      agent_version_id: agentVersionId,
      race_score: Number(rawScore),
    })),
  };
}

/** The one text of standings; a number is its shortest decimal, so that no digit is lost or made up. */
export function standingsText(standings: Standings): string {
  return canonicalJson(standings);
}

export interface ChainWeight {
  /** Null names the burn. */
  readonly hotkey: string | null;
  readonly weight: bigint;
}

/**
 * What a validator's weights are proportional to: burn, top and the tail in order, zeros included. Beside a
 * large tail the largest is more than the 65,535 of a chain.
 */
export function weightVector({ top_hotkey, t_burn, finishers }: Standings): readonly ChainWeight[] {
  const { burn, top, tail } = emissionWeights({
    burnRateMicro: microOfNumber(t_burn),
    hasTop: top_hotkey !== null,
    tailCount: finishers.length,
  });
  const ofTop = top === null ? [] : [{ hotkey: top_hotkey, weight: top }];
  return [
    { hotkey: null, weight: burn },
    ...ofTop,
    ...finishers.map(({ miner_hotkey: hotkey }, index) => ({ hotkey, weight: tail[index] ?? 0n })),
  ];
}
