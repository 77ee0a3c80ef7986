import { useEffect, useRef } from 'preact/hooks';
import type { EvaluationRunDetail } from '../../../cli/client/schemas.generated.ts';
import { shortKey } from '../format.ts';
import { Episode } from '../trajectory/episode.tsx';

/** The chosen task's episode in one run, or in two side by side. */
export function RunEpisodes({
  runs,
  task,
}: {
  readonly runs: readonly EvaluationRunDetail[];
  readonly task: string | null;
}) {
  const box = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (task !== null) box.current?.focus();
  }, [task]);
  if (task === null) return null;
  return (
    <section aria-labelledby="episode">
      <h2 id="episode" ref={box} tabIndex={-1}>
        Episode of {task}
      </h2>
      <div class="pair">
        {runs.map((run) => {
          const item = run.items.items.find(({ item_id }) => item_id === task);
          const title = `By ${shortKey(run.validator_hotkey)}`;
          const id = item?.episode_result_id;
          if (id === null || id === undefined) {
            return (
              <p key={run.eval_run_id} class="empty">
                {title}: there is no result of this task.
              </p>
            );
          }
          return <Episode key={run.eval_run_id} id={id} title={title} />;
        })}
      </div>
    </section>
  );
}
