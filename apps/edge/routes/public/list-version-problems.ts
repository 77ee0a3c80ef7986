import { z } from 'zod';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { versionById } from '../../reads/agent-versions.ts';
import { raceOfEntrant } from '../../reads/races.ts';
import { rosterOf } from '../../reads/rosters.ts';
import {
  episodesOfRuns,
  type ProgressRow,
  progressOfRuns,
  type RunRow,
  runsOfVersion,
} from '../../reads/runs.ts';
import { type SuiteProblemRow, suiteById } from '../../reads/suites.ts';
import {
  generatedResult,
  problemResult,
  toGeneratedResult,
  toProblemResult,
} from '../../wire/generated-results.ts';
import { type PublicRun, publicRun } from '../../wire/public-run.ts';
import { publicTask, toPublicTasks } from '../../wire/public-task.ts';
import { isDetailReleased } from '../../wire/race.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const problemProgress = z
  .object({
    agent_version_id: uuidOut,
    suite_id: z.number().int(),
    problems: z.array(
      z.object({
        problem_id: uuidOut,
        category: z.string().nullable(),
        phase: z.string(),
        race_id: uuidOut.nullable(),
        validator_results: z.array(problemResult),
      }),
    ),
    generated_results: z.array(generatedResult),
    qualifying_tasks: z.array(publicTask),
  })
  .meta({ id: 'ProblemProgress' });

type EnteredRace = Awaited<ReturnType<typeof raceOfEntrant>>;

interface Scope {
  readonly isQualifyingAsked: boolean;
  readonly race: EnteredRace;
}

/** `race_id` implies RACE; RACE alone means the version's latest race, and no phase means both. */
async function scopeOf(
  sql: Sql,
  agentVersionId: string,
  query: { readonly phase?: string | undefined; readonly race_id?: string | undefined },
): Promise<Scope> {
  const phase = query.race_id === undefined ? query.phase : 'RACE';
  const isRaceAsked = phase !== 'QUALIFYING';
  return {
    isQualifyingAsked: phase !== 'RACE',
    race: isRaceAsked ? await raceOfEntrant(sql, agentVersionId, query.race_id) : undefined,
  };
}

const isWithin = (run: RunRow, { isQualifyingAsked, race }: Scope) =>
  run.raceId === null ? isQualifyingAsked : run.raceId === race?.raceId;

interface Seen {
  readonly runs: ReadonlyMap<string, PublicRun>;
  readonly progress: ReadonlyMap<string, readonly ProgressRow[]>;
}

function toProblem(problem: SuiteProblemRow, raceId: string | null, seen: Seen) {
  return {
    problem_id: problem.problemId,
    category: problem.category ?? problem.family,
    phase: raceId === null ? 'QUALIFYING' : 'RACE',
    race_id: raceId,
    validator_results: (seen.progress.get(problem.problemId) ?? []).flatMap((row) => {
      const run = seen.runs.get(row.evalRunId);
      return run?.raceId === raceId ? [toProblemResult(run, row)] : [];
    }),
  };
}

/** Which tasks a race has is part of its detail. */
async function releasedRoster(sql: Sql, suiteId: number, race: EnteredRace) {
  if (race === undefined || !isDetailReleased(race)) return [];
  return await rosterOf(sql, { suiteId, raceId: race.raceId });
}

export const listVersionProblems = endpoint({
  method: 'get',
  path: '/v1/public/agent-versions/{agent_version_id}/problems',
  role: 'public',
  owner: 'nobody',
  summary: 'What every validator saw of an agent version, by problem and by run',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ agent_version_id: uuid }),
  query: z.object({ phase: z.enum(['QUALIFYING', 'RACE']).optional(), race_id: uuid.optional() }),
  response: problemProgress,
  faults: ['AGENT_VERSION_NOT_FOUND'],

  async handle({ params, query }, { sql }) {
    const version = await versionById(sql, params.agent_version_id);
    const suite = version && (await suiteById(sql, version.suiteId));
    if (version === undefined || suite === undefined) {
      throw refusal('AGENT_VERSION_NOT_FOUND');
    }
    const { agentVersionId, suiteId } = version;
    const scope = await scopeOf(sql, agentVersionId, query);
    const all = await runsOfVersion(sql, agentVersionId);
    const asked = all.filter((run) => isWithin(run, scope)).map(publicRun);
    const readable = asked.filter((run) => run.isReleased).map((run) => run.evalRunId);
    const [episodes, progress, qualifying, held] = await Promise.all([
      episodesOfRuns(sql, readable),
      progressOfRuns(sql, readable),
      rosterOf(sql, { suiteId, raceId: null }),
      releasedRoster(sql, suiteId, scope.race),
    ]);
    const problems = new Map([...qualifying, ...held].map((row) => [row.problemId, row]));
    const seen = {
      runs: new Map(asked.map((run) => [run.evalRunId, run])),
      progress: Map.groupBy(progress, ({ problemId }) => problemId),
    };
    return {
      agent_version_id: agentVersionId,
      suite_id: suiteId,
      problems: [
        ...(scope.isQualifyingAsked ? qualifying : []).map((row) => toProblem(row, null, seen)),
        ...held.map((row) => toProblem(row, scope.race?.raceId ?? null, seen)),
      ],
      generated_results: asked.map((run) =>
        toGeneratedResult(run, { suite, problems, episodes, progress }),
      ),
      qualifying_tasks: toPublicTasks(qualifying),
    };
  },
});
