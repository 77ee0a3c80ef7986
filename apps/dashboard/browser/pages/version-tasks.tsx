import type { EvaluationRun, ProblemProgress } from '../../../cli/client/schemas.generated.ts';
import { shortId } from '../format.ts';
import { HeatMap, type HeatRow } from '../parts/heat-map.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { addressOf } from '../router.tsx';
import type { Answer } from '../use-answer.ts';

/** Which runs are compared, as the query that asks for their results. */
export type TaskPart = string;

export const everyPart: TaskPart = '';

/** How each validator saw each task, as cells to be compared at a glance. */
export function VersionTasks({
  answer,
  runs,
  part,
  onPart,
}: {
  readonly answer: Answer<ProblemProgress>;
  readonly runs: readonly EvaluationRun[];
  readonly part: TaskPart;
  readonly onPart: (part: TaskPart) => void;
}) {
  const parts = partsOf(runs);
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Tasks</h2>
      {parts.length > 1 && (
        <label class="bar">
          Results of{' '}
          <select value={part} onChange={(event) => onPart(event.currentTarget.value)}>
            <option value={everyPart}>all runs</option>
            {parts.map(({ query, title }) => (
              <option key={query} value={query}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <Loaded answer={answer} what="the tasks">
        {(progress) => <Tasks progress={progress} />}
      </Loaded>
    </section>
  );
}

/** Qualifying, and each race by itself. */
function partsOf(runs: readonly EvaluationRun[]) {
  const byQuery = new Map(
    runs.map(({ race_id: race }) =>
      race === null
        ? (['?phase=QUALIFYING', 'qualifying'] as const)
        : ([`?race_id=${race}`, `race ${shortId(race)}`] as const),
    ),
  );
  return [...byQuery].map(([query, title]) => ({ query, title }));
}

function Tasks({ progress }: { readonly progress: ProblemProgress }) {
  const rows = heatRowsOf(progress);
  const goals = new Map(progress.qualifying_tasks.map((task) => [task.task_id, task.goal_text]));
  const sealed = progress.generated_results.filter(({ items }) => !items.detail_released).length;
  if (rows.length === 0) return <Empty>{sealed > 0 ? sealedText(sealed) : noneText}</Empty>;
  return (
    <>
      <HeatMap caption="Reward by task and run" rows={rows} goals={goals} />
      {sealed > 0 && <p class="muted">{sealedText(sealed)}</p>}
    </>
  );
}

const noneText = 'No results yet. They appear here as validators store them.';

function sealedText(runs: number): string {
  return `The results of ${runs} race runs are sealed until their release.`;
}

function heatRowsOf(progress: ProblemProgress): readonly HeatRow[] {
  const ofPacks = progress.generated_results
    .filter(({ items }) => items.items.length > 0)
    .map(({ identity, items }) => ({
      runId: identity.eval_run_id,
      validator: identity.validator_hotkey,
      address: addressOf('run', identity.eval_run_id),
      cells: items.items.map((item) => ({
        task: item.item_id,
        family: item.family ?? '',
        score: item.score,
        outcome: item.verdict_status,
        status: item.status,
      })),
    }));
  return ofPacks;
}
