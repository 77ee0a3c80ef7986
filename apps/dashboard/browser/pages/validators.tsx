import { useState } from 'preact/hooks';
import type { RunningEvaluation, Validator } from '../../../cli/client/schemas.generated.ts';
import { countText, wordsOf } from '../format.ts';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Key, State, When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';
import { Queue } from './queue.tsx';

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
              <Running runs={list} />
            )
          }
        </Loaded>
      </section>
      <section aria-labelledby="queue">
        <h2 id="queue">Waiting</h2>
        <Queue />
      </section>
    </>
  );
}

const percent = (value: number | null) => (value === null ? '–' : `${value.toFixed(0)} %`);

const healthColumns: readonly Column<Validator>[] = [
  { title: 'Validator', isHead: true, cell: named },
  { title: 'UID', isNumber: true, isMinor: true, cell: (each) => each.uid ?? '–' },
  {
    title: 'Stake',
    isNumber: true,
    isMinor: true,
    cell: ({ stake }) => (stake === null ? '–' : countText(stake)),
  },
  { title: 'State', cell: (each) => <State of={each.status} /> },
  { title: 'Seen', cell: (each) => <When at={each.last_seen_at} /> },
  { title: 'Runs now', isNumber: true, cell: (each) => each.current_runs },
  { title: 'Done in 24 h', isNumber: true, cell: (each) => countText(each.completed_24h) },
  { title: 'Stale in 24 h', isNumber: true, cell: (each) => countText(each.stale_24h) },
  { title: 'CPU', isNumber: true, isMinor: true, cell: (each) => percent(each.cpu_pct) },
  { title: 'Memory', isNumber: true, isMinor: true, cell: (each) => percent(each.ram_pct) },
  { title: 'Disk', isNumber: true, isMinor: true, cell: (each) => percent(each.disk_pct) },
  {
    title: 'Containers',
    isNumber: true,
    isMinor: true,
    cell: (each) => each.docker_container_count ?? '–',
  },
  { title: 'Versions', isMinor: true, cell: versionsOf },
];

function named({ validator_name: name, validator_hotkey: hotkey }: Validator) {
  return (
    <>
      {name !== null && `${name} `}
      <Key text={hotkey} />
    </>
  );
}

const shownAtFirst = 100;

function Running({ runs }: { readonly runs: readonly RunningEvaluation[] }) {
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <>
      <Table
        caption="Runs under way"
        isCaptionHidden
        columns={runningColumns}
        rows={runs.slice(0, shown)}
        keyOf={(each) => each.eval_run_id}
      />
      <ShowMore shown={shown} total={runs.length} onMore={() => setShown(shown + shownAtFirst)} />
    </>
  );
}

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
