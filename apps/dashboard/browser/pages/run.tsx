import { useEffect, useState } from 'preact/hooks';
import type { EvaluationRun, EvaluationRunDetail } from '../../../cli/client/schemas.generated.ts';
import { scoreText, shortId, shortKey, wordsOf } from '../format.ts';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Key, State, When } from '../parts/words.tsx';
import { meaningOf, whyOfRun } from '../reasons.ts';
import { addressOf, go, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';
import { RunEpisodes } from './run-episodes.tsx';
import { ComparedItems, Items } from './run-items.tsx';

export function RunPage({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  useTitle(`Run ${shortId(id)}`);
  const run = useRun(id);
  const otherId = query.get('with') ?? undefined;
  return (
    <>
      {run.value === undefined && <h1>Run {shortId(id)}</h1>}
      <Loaded answer={run} what="this run">
        {(told) => (
          <>
            <Heading run={told} />
            <Chooser run={told} otherId={otherId} />
            {otherId === undefined ? (
              <Single run={told} task={query.get('task')} />
            ) : (
              <Compared run={told} otherId={otherId} task={query.get('task')} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** No event tells of the results of a run that is under way. */
function useRun(id: string) {
  const [isLive, setLive] = useState(false);
  const answer = useAnswer<EvaluationRunDetail>(`/v1/public/evaluation-runs/${id}`, {
    on: (event) => Reflect.get(event, 'eval_run_id') === id,
    ...(isLive && { everyMs: 20_000 }),
  });
  const status = answer.value?.status;
  useEffect(() => setLive(status === 'CLAIMED' || status === 'RUNNING'), [status]);
  return answer;
}

function Heading({ run }: { readonly run: EvaluationRunDetail }) {
  const why = whyOfRun(run);
  return (
    <>
      <h1>
        Run {shortId(run.eval_run_id)} <State of={run.status} />
      </h1>
      <p>
        Of <Link to={addressOf('version', run.agent_version_id)}>this version</Link> by validator{' '}
        <Key text={run.validator_hotkey} />, {wordsOf(run.phase).toLowerCase()}, claimed{' '}
        <When at={run.claimed_at} />
        {run.completed_at !== null && (
          <>
            , ended <When at={run.completed_at} />
          </>
        )}
        .
      </p>
      {(why !== null || run.failure_class !== null) && (
        <p class="notice warn">
          <strong>
            {run.failure_class === null ? 'Why' : `Attributed to: ${wordsOf(run.failure_class)}`}
          </strong>
          {why !== null && `: ${why}`}
          {run.failure_class !== null && (
            <span class="muted"> {meaningOf('failure_class', run.failure_class)}</span>
          )}
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Score</dt>
          <dd>{scoreText(run.validator_score)}</dd>
        </div>
        <div>
          <dt>Counts</dt>
          <dd>{run.is_included ? 'yes' : 'no'}</dd>
        </div>
        <div>
          <dt>Results stored</dt>
          <dd>
            {run.items.persisted_item_count} of {run.items.expected_item_count}
          </dd>
        </div>
      </dl>
    </>
  );
}

function Chooser({
  run,
  otherId,
}: {
  readonly run: EvaluationRunDetail;
  readonly otherId: string | undefined;
}) {
  const path = `/v1/public/agent-versions/${run.agent_version_id}/runs`;
  const runs = useAnswer<readonly EvaluationRun[]>(path);
  const others = (runs.value ?? []).filter(({ eval_run_id }) => eval_run_id !== run.eval_run_id);
  if (runs.value === undefined && runs.failure !== undefined) {
    return (
      <Failure
        failure={runs.failure}
        what="the runs to compare with"
        onRetry={runs.reload}
        isAskedAgain
      />
    );
  }
  if (others.length === 0) return null;
  const onChange = (value: string) => go(addressOf('run', run.eval_run_id, { with: value }));
  return (
    <label class="bar">
      Compare with{' '}
      <select value={otherId ?? ''} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">no other run</option>
        {others.map((other) => (
          <option key={other.eval_run_id} value={other.eval_run_id}>
            {`${shortId(other.eval_run_id)} by ${shortKey(other.validator_hotkey)}, ${other.status}, ${scoreText(other.validator_score)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

const sealedText = 'The results of this run are sealed until its race is released.';

function Single({
  run,
  task,
}: {
  readonly run: EvaluationRunDetail;
  readonly task: string | null;
}) {
  const [isFailuresOnly, setFailuresOnly] = useState(false);
  if (!run.items.detail_released) return <Empty>{sealedText}</Empty>;
  return (
    <>
      <Items
        items={run.items.items}
        isFailuresOnly={isFailuresOnly}
        onFailuresOnly={setFailuresOnly}
        openAddress={(item) => addressOf('run', run.eval_run_id, { task: item })}
      />
      <RunEpisodes runs={[run]} task={task} />
    </>
  );
}

function Compared({
  run,
  otherId,
  task,
}: {
  readonly run: EvaluationRunDetail;
  readonly otherId: string;
  readonly task: string | null;
}) {
  const other = useRun(otherId);
  return (
    <Loaded answer={other} what="the other run">
      {(told) =>
        run.items.detail_released && told.items.detail_released ? (
          <>
            <ComparedItems
              mine={run}
              other={told}
              openAddress={(item) =>
                addressOf('run', run.eval_run_id, { with: otherId, task: item })
              }
            />
            <RunEpisodes runs={[run, told]} task={task} />
          </>
        ) : (
          <Empty>{sealedText}</Empty>
        )
      }
    </Loaded>
  );
}
