import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Tidings } from '../../../machines/feed/public-event.ts';
import { withSavepoint } from '../savepoint.ts';
import type { Transact } from '../service-handler.ts';
import {
  append,
  type DueRace,
  dueRace,
  type EndPlace,
  endsBehind,
  firstEnd,
  lockFeed,
  markRaceTold,
  rest,
} from './store.ts';
import { putOffUntold } from './tell-due.ts';
import { runEnded } from './tell-release.ts';

/** Told under one lock of the feed, which is held for 20 ms then. */
const pageEnds = 500;
/** Few enough that the process does other things meanwhile, many for all runs that are gone through to find them. */
const lookEnds = 4 * pageEnds;

export interface RaceTellerDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly log: Pick<Logger, 'error'>;
}

export interface RaceTeller {
  /** Some of the race that is due longest. */
  tellSome(): Promise<Outcome | 'none'>;
}

type Outcome = 'failed' | 'told' | 'under way';

/**
 * Tells how the runs of released races ended, page by page.
 *
 * 1. A page is a transaction of its own, so that facts are told between two of them, and how many runs a race has
 *    holds nobody up.
 * 2. The feed alone says which runs are told. How far this process is with a race is for speed: the next one looks
 *    from the first run on, passes those that are told, and tells the others. Of two that tell the same page the
 *    second adds nothing.
 * 3. A race is told with its last page, and only if none of its runs ended since its first run was looked at: one that
 *    ends now is told of by its fact once the race is told, and before that in another walk through all.
 * 4. A walk goes to its end whatever ends meanwhile, and before another one the race rests: a race that is judged again
 *    while it is told keeps neither its own runs from being told nor the next race.
 */
export function createRaceTeller(deps: RaceTellerDeps): RaceTeller {
  let walk: Walk | undefined;
  return {
    tellSome: async () => {
      const race = await dueRace(deps.sql);
      if (race === undefined) return 'none';
      if (walk?.raceId !== race.id) walk = startOf(race);
      const { lateEnds } = walk;
      const { outcome, behind } = await tellLook(deps, { ...race, lateEnds }, walk.behind);
      if (behind === undefined && outcome === 'under way')
        await deps.transact((tx) => rest(tx, race, restMs));
      walk = behind === undefined ? undefined : { ...walk, behind };
      return outcome;
    },
  };
}

/** Longer than a walk through few runs takes; what ended meanwhile waits for no more. */
const restMs = 5_000;

interface Walk {
  readonly raceId: string;
  /** At its start. */
  readonly lateEnds: number;
  /** All up to here are told. */
  readonly behind: EndPlace;
}

const startOf = ({ id, lateEnds }: DueRace): Walk => ({ raceId: id, lateEnds, behind: firstEnd });

/** `behind` is undefined where nothing is left to look at. */
async function tellLook(
  deps: RaceTellerDeps,
  race: DueRace,
  behind: EndPlace,
): Promise<{ readonly outcome: Outcome; readonly behind: EndPlace | undefined }> {
  const look = await deps.transact((tx) =>
    withSavepoint(tx, async () => {
      const ends = await endsBehind(tx, race.id, { behind, limit: lookEnds });
      const untold = ends.filter(({ isTold }) => !isTold);
      return { ends, told: untold.map((run) => runEnded(run, race)) };
    }),
  );
  if ('error' in look) return { outcome: await fail(deps, race, look.error), behind };
  const { ends, told } = look.value;
  const isLast = ends.length < lookEnds;
  const outcome = await tellPages(deps, race, { told, isLast });
  if (outcome === 'failed') return { outcome, behind };
  return { outcome, behind: isLast ? undefined : ends.at(-1) };
}

/** `isLast`: nothing is behind these. */
interface Telling {
  readonly told: readonly Tidings[];
  readonly isLast: boolean;
}

async function tellPages(
  deps: RaceTellerDeps,
  race: DueRace,
  { told, isLast }: Telling,
): Promise<Outcome> {
  let isRaceTold = false;
  for (let from = 0; from < told.length || (isLast && from === 0); from += pageEnds) {
    const page = told.slice(from, from + pageEnds);
    const isLastPage = isLast && from + pageEnds >= told.length;
    const outcome = await tellPage(deps, race, { told: page, isLast: isLastPage });
    if ('error' in outcome) return await fail(deps, race, outcome.error);
    isRaceTold = outcome.value;
  }
  return isRaceTold ? 'told' : 'under way';
}

/** Answers whether the race is told by it. */
async function tellPage({ transact }: RaceTellerDeps, race: DueRace, { told, isLast }: Telling) {
  return await transact(async (tx) => {
    await lockFeed(tx);
    return await withSavepoint(tx, async () => {
      await append(tx, told);
      return isLast && (await markRaceTold(tx, race));
    });
  });
}

async function fail(
  { transact, log }: RaceTellerDeps,
  race: DueRace,
  error: unknown,
): Promise<'failed'> {
  await transact((tx) => putOffUntold(tx, log, { release: race, error }));
  return 'failed';
}
