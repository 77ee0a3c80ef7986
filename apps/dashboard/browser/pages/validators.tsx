import type {
  PendingEvaluations,
  RunningEvaluation,
  Validator,
} from '../../../cli/client/schemas.generated.ts';
import { countText, wordsOf } from '../format.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Key, State, When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';

const changesRuns = ({ type }: { readonly type: string }) => type.startsWith('run-');

/** Who evaluates, how they are, what they do now and what waits for them. */
export function Validators() {
  useTitle('Validators');
  const validators = useAnswer<readonly Validator[]>('/v1/public/validators', {
    on: changesRuns,
    everyMs: 30_000,
  });
  const running = useAnswer<readonly RunningEvaluation[]>('/v1/public/evaluations/running', {
    on: changesRuns,
    everyMs: 15_000,
  });
  const pending = useAnswer<PendingEvaluations>('/v1/public/evaluations/pending?limit=20', {
    on: ({ type }) => changesRuns({ type }) || type === 'submission-accepted',
  });
  return (
    <>
      <h1>Validators</h1>
      <Loaded answer={validators} what="the validators">
        {(list) =>
          list.length === 0 ? (
            <Empty>
              No validator was ever seen. One is listed here from its first signed request on.
            </Empty>
          ) : (
            <Table
              caption="Validators and their health"
              isCaptionHidden
              columns={healthColumns}
              rows={list}
              keyOf={(each) => each.validator_hotkey}
            />
          )
        }
      </Loaded>
      <section aria-labelledby="now">
        <h2 id="now">Running now</h2>
        <Loaded answer={running} what="what runs now">
          {(list) =>
            list.length === 0 ? (
              <Empty>Nothing runs. What a validator claims is listed here until it is done.</Empty>
            ) : (
              <Table
                caption="Runs under way"
                isCaptionHidden
                columns={runningColumns}
                rows={list.slice(0, 100)}
                keyOf={(each) => each.eval_run_id}
              />
            )
          }
        </Loaded>
      </section>
      <section aria-labelledby="queue">
        <h2 id="queue">Waiting</h2>
        <Loaded answer={pending} what="the queue">
          {(list) => <Waiting pending={list} />}
        </Loaded>
      </section>
    </>
  );
}

const percent = (value: number | null) => (value === null ? '–' : `${value.toFixed(0)} %`);

const healthColumns: readonly Column<Validator>[] = [
  { title: 'Validator', isHead: true, cell: (each) => <Key text={each.validator_hotkey} /> },
  { title: 'State', cell: (each) => <State of={each.status} /> },
  { title: 'Seen', cell: (each) => <When at={each.last_seen_at} /> },
  { title: 'Runs now', isNumber: true, cell: (each) => each.current_runs },
  { title: 'Done in 24 h', isNumber: true, cell: (each) => countText(each.completed_24h) },
  { title: 'Stale in 24 h', isNumber: true, cell: (each) => countText(each.stale_24h) },
  { title: 'CPU', isNumber: true, isMinor: true, cell: (each) => percent(each.cpu_pct) },
  { title: 'Memory', isNumber: true, isMinor: true, cell: (each) => percent(each.ram_pct) },
  { title: 'Disk', isNumber: true, isMinor: true, cell: (each) => percent(each.disk_pct) },
  { title: 'Versions', isMinor: true, cell: versionsOf },
];

function versionsOf({ service_versions: versions }: Validator): string {
  const told = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return told.length === 0 ? '–' : told.join(', ');
}

const runningColumns: readonly Column<RunningEvaluation>[] = [
  {
    title: 'Run',
    isHead: true,
    cell: (each) => (
      <Link to={addressOf('run', each.eval_run_id)}>
        {each.agent_name} v{each.version_number}
      </Link>
    ),
  },
  { title: 'Validator', cell: (each) => <Key text={each.validator_hotkey} /> },
  { title: 'Phase', isMinor: true, cell: (each) => wordsOf(each.phase) },
  { title: 'State', cell: (each) => <State of={each.status} /> },
  {
    title: 'Progress',
    cell: ({ progress: { done, total } }) => (
      <>
        <progress value={done} max={Math.max(1, total)} aria-label={`${done} of ${total} tasks`} />{' '}
        {done}/{total}
      </>
    ),
  },
  { title: 'Lease ends', isMinor: true, cell: (each) => <When at={each.lease_expires_at} /> },
];

function Waiting({ pending }: { readonly pending: PendingEvaluations }) {
  if (pending.items.length === 0)
    return (
      <Empty>Nothing waits. What miners submit is listed here until validators took it.</Empty>
    );
  return (
    <>
      <p>
        Work that waits: {countText(pending.summary.total_pending)}. Runs that it needs:{' '}
        {countText(pending.summary.total_runs_needed)}. Under way:{' '}
        {countText(pending.summary.total_runs_active)}.
      </p>
      <Table
        caption="The next in the queue"
        isCaptionHidden
        columns={[
          { title: 'Place', isNumber: true, cell: (each) => countText(each.position) },
          {
            title: 'Agent',
            isHead: true,
            cell: (each) => (
              <Link to={addressOf('version', each.agent_version_id)}>
                {each.agent_name} v{each.version_number}
              </Link>
            ),
          },
          {
            title: 'Done',
            cell: (each) => `${each.completed_successes} of ${each.required_successes}`,
          },
          { title: 'Starts', cell: (each) => <When at={each.expected_start_at} /> },
          { title: 'Held up by', isMinor: true, cell: (each) => each.blocked_reason ?? '–' },
        ]}
        rows={pending.items}
        keyOf={(each) => `${each.agent_version_id} ${each.phase} ${each.race_id}`}
      />
    </>
  );
}
