import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { drawQualifying } from '../../../machines/suite/draw-qualifying.ts';
import type { RegisteredPack, SuiteDocument } from './messages.ts';
import type { PackTask, RosterEntry } from './store.ts';

/** The version 5 UUID of a name within a suite. */
export type ProblemIdOf = (name: string) => string;

const environmentKeys = [
  'display_name',
  'environment_revision',
  'catalog_epoch',
  'contract_version',
  'runtime_version',
  'result_schema_version',
] as const;

/** A suite without a pack names itself and leaves the rest empty: there is nothing to pin. */
export function environmentOf(
  suite: SuiteDocument,
  pack: RegisteredPack | undefined,
): Record<string, string> {
  const named: Readonly<Record<string, string | null>> = pack?.manifest ?? {
    display_name: `${suite.benchmarkName} ${suite.benchmarkNumber}`,
  };
  return Object.fromEntries(environmentKeys.map((key) => [key, named[key] ?? '']));
}

/** The qualifying tasks of an envpack suite: those named, else a draw balanced over families. */
export function envpackRoster(
  suite: SuiteDocument,
  tasks: readonly PackTask[],
  draw: { readonly count: number; readonly seed: string; readonly problemIdOf: ProblemIdOf },
): readonly RosterEntry[] {
  const chosen =
    suite.qualifyingTaskIds === null
      ? drawQualifying(tasks, draw.count, draw.seed)
      : namedTasks(suite.qualifyingTaskIds, tasks);
  refuseToShow(chosen, tasks);
  return chosen.map(({ taskId, family, goalText }) => ({
    phase: 'QUALIFYING' as const,
    problemId: draw.problemIdOf(taskId),
    taskId,
    family,
    goalText,
    category: family,
    metadata: { task_id: taskId, family, goal_text: goalText },
    embeddings: null,
  }));
}

function namedTasks(taskIds: readonly string[], tasks: readonly PackTask[]) {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  return taskIds.map((taskId, index) => {
    const task = byId.get(taskId);
    const loc = ['body', 'qualifying_task_ids', String(index)];
    if (task === undefined) throw invalid(loc, 'is no task of the pack');
    if (taskIds.indexOf(taskId) !== index) throw invalid(loc, 'must not be repeated');
    return task;
  });
}

/** A roster is public as soon as it is kept, whether its suite is ever activated or not. */
function refuseToShow(chosen: readonly PackTask[], tasks: readonly PackTask[]): void {
  const heldOut = chosen.find(({ isHeldOut }) => isHeldOut);
  if (heldOut !== undefined) {
    throw refusal('TASK_HELD_OUT', {
      says: `Task ${heldOut.taskId} is held out by a suite that has races.`,
    });
  }
  if (chosen.length === 0 && tasks.length > 0) {
    throw refusal('TASK_HELD_OUT', {
      says: 'All tasks of the pack are held out by suites that have races.',
    });
  }
  const shown = new Set(chosen);
  const others = tasks.filter((task) => !shown.has(task));
  if (others.length > 0 && others.every(({ isPublic }) => isPublic)) {
    throw refusal('NO_TASK_HELD_OUT', {});
  }
}

export function legacyRoster(
  suite: SuiteDocument,
  problemIdOf: ProblemIdOf,
): readonly RosterEntry[] {
  const entries = [
    ...suite.problems.map((problem, index) =>
      legacyEntry('QUALIFYING', { problem, index, problemIdOf }),
    ),
    ...suite.raceProblems.map((problem, index) =>
      legacyEntry('RACE', { problem, index, problemIdOf }),
    ),
  ];
  const ids = new Set<string>();
  for (const { problemId, phase } of entries) {
    const loc = ['body', phase === 'RACE' ? 'race_problems' : 'problems'];
    if (ids.has(problemId)) throw invalid(loc, `problem_id ${problemId} must not be repeated`);
    ids.add(problemId);
  }
  return entries;
}

function legacyEntry(
  phase: 'QUALIFYING' | 'RACE',
  given: {
    readonly problem: SuiteDocument['problems'][number];
    readonly index: number;
    readonly problemIdOf: ProblemIdOf;
  },
): RosterEntry {
  const { reward_title_embeddings: embeddings, ...metadata } = given.problem.metadata;
  const { category } = metadata;
  return {
    phase,
    problemId: given.problem.problemId ?? given.problemIdOf(`${phase}/${given.index + 1}`),
    taskId: null,
    family: null,
    goalText: null,
    category: typeof category === 'string' ? category : null,
    metadata,
    // Thirty times the rest in size, so they stand apart and are read only when asked for.
    embeddings: embeddings ?? null,
  };
}

export function invalid(loc: readonly string[], msg: string): Fault {
  const issue = { loc, msg, type: 'value_error', input: null, ctx: {} };
  return refusal('VALIDATION_FAILED', {
    extras: { errors: [issue] },
  });
}
