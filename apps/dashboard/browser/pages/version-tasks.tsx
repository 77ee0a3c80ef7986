import type { ProblemProgress } from '../../../cli/client/schemas.generated.ts';
import { HeatMap, type HeatRow } from '../parts/heat-map.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { addressOf } from '../router.tsx';
import type { Answer } from '../use-answer.ts';

/** How each validator saw each task, as cells to be compared at a glance. */
export function VersionTasks({ answer }: { readonly answer: Answer<ProblemProgress> }) {
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Tasks</h2>
      <Loaded answer={answer} what="the tasks">
        {(progress) => <Tasks progress={progress} />}
      </Loaded>
    </section>
  );
}

function Tasks({ progress }: { readonly progress: ProblemProgress }) {
  const rows = heatRowsOf(progress);
  const goals = new Map(progress.qualifying_tasks.map((task) => [task.task_id, task.goal_text]));
  if (rows.length === 0) {
    return <Empty>No results yet. They appear here as validators store them.</Empty>;
  }
  const sealed = progress.generated_results.filter(({ items }) => !items.detail_released).length;
  return (
    <>
      <HeatMap caption="Reward by task and run" rows={rows} goals={goals} />
      {sealed > 0 && (
        <p class="muted">The results of {sealed} race runs are sealed until their release.</p>
      )}
    </>
  );
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
