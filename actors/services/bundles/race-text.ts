import type { Sql } from '../../../infra/ports/sql.ts';
import { canonicalJson } from '../../../machines/canonical-json.ts';
import { bundleFormat, type RaceBundle } from '../../../machines/race/bundle.ts';
import {
  entrantRows,
  raceRow,
  reignBefore,
  runPages,
  seatRows,
  taskRows,
  windowRows,
} from './store.ts';

type Run = RaceBundle['runs'][number];

/**
 * The canonical JSON of a race's bundle, piece by piece: never more than one page of runs is held.
 * The same rows give the same text, whoever writes it and however often.
 */
export async function* raceText(sql: Sql, raceId: string): AsyncGenerator<string> {
  const head = await headOf(sql, raceId);
  const keys = [...Object.keys(head), 'runs'].sort();
  let separator = '{';
  for (const key of keys) {
    yield `${separator}${JSON.stringify(key)}:`;
    if (key === 'runs') yield* runsText(runPages(sql, raceId));
    else yield canonicalJson(head[key as keyof typeof head]);
    separator = ',';
  }
  yield '}';
}

async function headOf(sql: Sql, raceId: string): Promise<Omit<RaceBundle, 'runs'>> {
  const race = await raceRow(sql, raceId);
  const entrants = await entrantRows(sql, raceId);
  return {
    format: bundleFormat,
    race,
    tasks: await taskRows(sql, raceId),
    entrants,
    // The race itself is the first of the window.
    window: await windowRows(sql, race, race.policy.windowRaces - 1),
    top_before: topBefore(race, await reignBefore(sql, raceId)),
    emission: await seatRows(sql, raceId),
  };
}

/** Nobody to challenge, nobody who reigned: a top that was discarded or banned did not. */
function topBefore(
  { race_id, challenged_score }: RaceBundle['race'],
  reign: Awaited<ReturnType<typeof reignBefore>>,
): RaceBundle['top_before'] {
  if (challenged_score === null) return null;
  if (reign === undefined) throw new Error(`race ${race_id} challenged nobody known`);
  return { ...reign, score: challenged_score };
}

async function* runsText(pages: AsyncIterable<readonly Run[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    yield separator + page.map(canonicalJson).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
