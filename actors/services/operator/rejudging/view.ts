import type { Sql } from '../../../../infra/ports/sql.ts';
import type { RejudgingPreview } from '../../../../machines/rejudging/preview.ts';
import { previewBoard, previewRaces } from './preview.ts';
import { type Judging, judgingsOf, type Rejudging, rejudgingById } from './reads.ts';

export interface RejudgingView {
  readonly rejudging: Rejudging;
  readonly judgings: readonly Judging[];
  /** As of now; of one that has ended, as it was shown then. */
  readonly preview: RejudgingPreview;
}

/** A rejudging with every run of it and the difference that it makes. */
export async function rejudgingView(
  sql: Sql,
  rejudgingId: string,
): Promise<RejudgingView | undefined> {
  const rejudging = await rejudgingById(sql, rejudgingId);
  if (rejudging === undefined) return undefined;
  const judgings = await judgingsOf(sql, rejudging);
  const preview = rejudging.outcome ?? {
    ...(await previewBoard(sql, rejudging.suiteId, judgings)),
    races: await previewRaces(sql, judgings),
  };
  return { rejudging, judgings, preview };
}
