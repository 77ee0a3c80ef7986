import { useState } from 'preact/hooks';
import { explainedEntry } from '../../../../machines/reasons/explained.ts';
import type {
  AgentVersionStatus,
  EvaluationRun,
  ProblemProgress,
} from '../../../cli/client/schemas.generated.ts';
import { scoreText, wordsOf } from '../format.ts';
import { Empty, isSettled, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Key, State, When } from '../parts/words.tsx';
import { whyOfRun } from '../reasons.ts';
import { addressOf, Link } from '../router.tsx';
import { type Answer, useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';
import { storyOf } from './version-story.ts';
import { everyPart, type TaskPart, VersionTasks } from './version-tasks.tsx';

export function VersionPage({ id }: { readonly id: string }) {
  const of = `/v1/public/agent-versions/${id}`;
  const on = (event: object) =>
    Reflect.get(event, 'agent_version_id') === id ||
    Reflect.get(event, 'type') === 'race-completed';
  const everyMs = 20_000;
  const status = useAnswer<AgentVersionStatus>(`${of}/status`, { on, everyMs });
  const isKnown = status.value !== undefined;
  // No event tells of the results of a run that is under way.
  const whileLive = status.value?.live_run_count ? { everyMs } : {};
  const runs = useAnswer<readonly EvaluationRun[]>(isKnown ? `${of}/runs` : undefined, {
    ...{ on, ...whileLive },
  });
  const [part, setPart] = useState<TaskPart>(everyPart);
  const tasks = useAnswer<ProblemProgress>(isKnown ? `${of}/problems${part}` : undefined, {
    on: (event) => Reflect.get(event, 'agent_version_id') === id,
    ...whileLive,
  });
  const { value } = status;
  useTitle(value === undefined ? 'Agent version' : `${value.agent_name} v${value.version_number}`);
  return (
    <>
      {!isKnown && <h1>Agent version</h1>}
      <Loaded answer={status} what="this version">
        {(told) => <Version status={told} {...{ runs, tasks, part }} onPart={setPart} />}
      </Loaded>
    </>
  );
}

function Version({
  status,
  runs,
  tasks,
  part,
  onPart,
}: {
  readonly status: AgentVersionStatus;
  readonly runs: Answer<readonly EvaluationRun[]>;
  readonly tasks: Answer<ProblemProgress>;
  readonly part: TaskPart;
  readonly onPart: (part: TaskPart) => void;
}) {
  return (
    <>
      <h1>
        {status.agent_name} <span class="muted">version {status.version_number}</span>{' '}
        <State of={status.state} />
      </h1>
      <p>
        By <Key text={status.miner_hotkey} />, submitted <When at={status.submitted_at} />, for
        suite {status.suite_id}.
      </p>
      <Story status={status} />
      <section aria-labelledby="runs">
        <h2 id="runs">Runs by validator</h2>
        <Loaded answer={runs} what="the runs">
          {(list) => <Runs runs={list} />}
        </Loaded>
      </section>
      {isSettled(runs) && (
        <VersionTasks answer={tasks} runs={runs.value ?? []} {...{ part, onPart }} />
      )}
      {isSettled(runs, tasks) && <Timeline entries={status.timeline} />}
    </>
  );
}

function Story({ status }: { readonly status: AgentVersionStatus }) {
  const story = storyOf(status);
  const { expected_start_at: start, expected_finish_at: finish } = status.waiting;
  return (
    <section class="story" aria-label="Where it is, why, and what comes next">
      <div>
        <h2>Where it is</h2>
        <p>{story.where}</p>
        <p class="figure">{scoreText(status.final_score ?? status.qualifying_score)}</p>
        <p class="muted">
          {status.included_success_count} of {status.required_successes} runs counted
        </p>
      </div>
      <div>
        <h2>Why</h2>
        <p>{story.why}</p>
      </div>
      <div>
        <h2>What comes next</h2>
        <p>{story.next}</p>
        {start !== null && (
          <p>
            Expected start: <When at={start} />
          </p>
        )}
        {finish !== null && (
          <p>
            Expected finish: <When at={finish} />
          </p>
        )}
      </div>
    </section>
  );
}

const runColumns: readonly Column<EvaluationRun>[] = [
  {
    title: 'Run',
    isHead: true,
    cell: (run) => (
      <Link to={addressOf('run', run.eval_run_id)}>{run.eval_run_id.slice(0, 8)}</Link>
    ),
  },
  { title: 'Validator', cell: (run) => <Key text={run.validator_hotkey} /> },
  { title: 'Phase', isMinor: true, cell: (run) => wordsOf(run.phase) },
  { title: 'State', cell: (run) => <State of={run.status} /> },
  { title: 'Score', isNumber: true, cell: (run) => scoreText(run.validator_score) },
  { title: 'Counts', cell: (run) => (run.is_included ? 'yes' : 'no') },
  { title: 'Reason', cell: (run) => reasonOf(run) ?? <span class="muted">–</span> },
  { title: 'Claimed', isMinor: true, cell: (run) => <When at={run.claimed_at} /> },
];

function reasonOf(run: EvaluationRun): string | null {
  const said = whyOfRun(run);
  if (run.failure_class === null) return said;
  const blamed = `${wordsOf(run.failure_class)} fault`;
  return said === null ? blamed : `${blamed}: ${said}`;
}

function Runs({ runs }: { readonly runs: readonly EvaluationRun[] }) {
  if (runs.length === 0)
    return <Empty>No validator has claimed it yet. Its runs are listed here from then on.</Empty>;
  return (
    <Table
      caption="Every run, oldest first"
      isCaptionHidden
      columns={runColumns}
      rows={runs}
      keyOf={(run) => run.eval_run_id}
    />
  );
}

function Timeline({ entries }: { readonly entries: AgentVersionStatus['timeline'] }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ol class="timeline">
        {entries.map((entry, at) => (
          <li key={`${entry.at} ${at}`}>
            <strong>{wordsOf(entry.event)}</strong> <When at={entry.at} />
            {entry.detail !== null && (
              <p class="muted">{explainedEntry(entry.event, entry.detail)}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
