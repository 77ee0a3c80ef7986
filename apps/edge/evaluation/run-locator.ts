import { runLocator } from '../../../actors/lease-manager/reads.ts';
import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';

/** Where a run's owner is; none of it ever changes. */
export interface RunPlace {
  readonly part: number;
  readonly agentVersionId: string;
}

export interface RunLocator {
  /** Throws EVAL_RUN_NOT_FOUND. */
  locate(evalRunId: string): Promise<RunPlace>;
  find(evalRunId: string): Promise<RunPlace | undefined>;
  /** Of a run that its owner has just named. */
  learn(evalRunId: string, place: RunPlace): void;
}

// About 100 bytes a run, and twice as many at most; 10,000 validators' runs fit five times over.
const rememberedMax = 50_000;

/**
 * Finds a run's partition with one indexed read, once: places never change, so heartbeats and
 * results of a known run cost no query. Unknown ids are not remembered, as they may come to exist.
 */
export function createRunLocator(sql: Sql): RunLocator {
  const known = new RecentMap<string, RunPlace>(rememberedMax);
  const find = async (evalRunId: string) => {
    const remembered = known.get(evalRunId);
    if (remembered !== undefined) return remembered;
    const row = await runLocator(sql, evalRunId);
    if (row === undefined) return undefined;
    const place = { part: row.part, agentVersionId: row.agentVersionId };
    known.set(evalRunId, place);
    return place;
  };
  return {
    find,
    learn: (evalRunId, place) => known.set(evalRunId, place),
    async locate(evalRunId) {
      const place = await find(evalRunId);
      if (place === undefined) throw refusal('EVAL_RUN_NOT_FOUND');
      return place;
    },
  };
}
