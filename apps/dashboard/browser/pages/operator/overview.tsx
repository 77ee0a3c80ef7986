import { explained } from '../../../../../machines/reasons/explained.ts';
import type {
  GetAdminOverviewAnswer,
  GetAdminParkedMessagesAnswer,
} from '../../../../cli/client/paddock.generated.ts';
import { countText, scoreText, wordsOf } from '../../format.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { When } from '../../parts/words.tsx';
import { addressOf, Link } from '../../router.tsx';
import { useAnswer } from '../../use-answer.ts';

/** What is on, what waits, and whether anything is wrong. */
export function Overview({ token }: { readonly token: string }) {
  const following = { token, everyMs: 10_000 };
  const overview = useAnswer<GetAdminOverviewAnswer>('/v1/admin/overview', following);
  const parked = useAnswer<GetAdminParkedMessagesAnswer>(
    '/v1/admin/parked-messages?limit=50',
    following,
  );
  return (
    <>
      <Loaded answer={overview} what="the overview">
        {(told) => <Figures told={told} />}
      </Loaded>
      <section aria-labelledby="parked">
        <h2 id="parked">Parked messages</h2>
        <Loaded answer={parked} what="parked messages">
          {(told) => <Parked told={told} />}
        </Loaded>
      </section>
    </>
  );
}

function Figures({ told }: { readonly told: GetAdminOverviewAnswer }) {
  const { current_race: race, race_tasks: tasks, top } = told;
  const queues = [
    { title: 'Versions waiting', count: told.waiting_versions },
    { title: 'Open work items', count: told.open_work_items },
    { title: 'Live runs', count: told.live_runs },
    { title: 'Active validators', count: told.validators_active },
    {
      title: told.outbox_may_be_more ? 'Messages to send, at least' : 'Messages to send',
      count: told.outbox_pending,
    },
    { title: 'Banned hotkeys', count: told.banned_hotkeys },
  ];
  const wrongs = [
    {
      title: told.stuck_may_be_more ? 'Stuck records, at least' : 'Stuck records',
      count: told.stuck_records,
      isWrong: told.stuck_records > 0 || told.stuck_may_be_more,
    },
    { title: 'Parked messages', count: told.parked_messages },
    { title: 'Partitions without owner', count: told.partitions_without_owner },
    { title: 'Tasks that the race lacks', count: tasksLacking(tasks) },
    { title: 'Work of the race that is held', count: sumOf(heldOf(race)) },
  ];
  return (
    <>
      <dl class="facts">
        {queues.map(({ title, count }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{countText(count)}</dd>
          </div>
        ))}
        {wrongs.map(({ title, count, isWrong = count > 0 }) => (
          <div key={title} class={isWrong ? 'is-wrong' : undefined}>
            <dt>{title}</dt>
            <dd>{countText(count)}</dd>
          </div>
        ))}
      </dl>
      <p>
        Suite: {told.active_suite_id ?? 'none'}. Race:{' '}
        {race === null ? (
          'none'
        ) : (
          <Link to={addressOf('race', race.race_id)}>
            {race.race_number}, {wordsOf(race.status).toLowerCase()}
          </Link>
        )}
        {workText(race)}
        {tasks !== null &&
          `, asks for ${countText(tasks.asked_for)} tasks of ${countText(tasks.held_out)} held out, of which no race had ${countText(tasks.unraced)}`}
        . Top:{' '}
        {top === null ? (
          'none'
        ) : (
          <Link to={addressOf('version', top.agent_version_id)}>{scoreText(top.score)}</Link>
        )}
        .{' '}
        {told.outbox_oldest_at !== null && (
          <>
            The oldest message to send is from <When at={told.outbox_oldest_at} />
            {told.outbox_may_be_more && ' or before'}.
          </>
        )}
      </p>
      <Held held={heldOf(race)} />
      <Inference told={told} />
    </>
  );
}

type Race = GetAdminOverviewAnswer['current_race'];
type HeldWork = NonNullable<Race>['work']['held'];

// An edge of the release before tells nothing of a race's work.
const workOf = (race: Race): Partial<NonNullable<Race>>['work'] => race?.work;
const heldOf = (race: Race): HeldWork => workOf(race)?.held ?? [];
const sumOf = (held: HeldWork) => held.reduce((sum, { items }) => sum + items, 0);

function workText(race: Race): string {
  const { items, open, live_runs: live } = workOf(race) ?? { items: 0, open: 0, live_runs: 0 };
  if (items === 0) return '';
  return `, ${countText(open)} of ${countText(items)} entrants not done, ${countText(live)} runs live`;
}

function Held({ held }: { readonly held: HeldWork }) {
  return held.map(({ hold_reason: reason, items, next_ends_at: endsAt }) => (
    <p key={reason}>
      {countText(items)} of the race {items === 1 ? 'is' : 'are'} held:{' '}
      {explained('hold_reason', reason)}
      {endsAt !== null && (
        <>
          {' '}
          The first is offered again <When at={endsAt} />.
        </>
      )}
    </p>
  ));
}

/** It runs on fewer tasks than it asks for, where no more are held out. */
function tasksLacking(tasks: GetAdminOverviewAnswer['race_tasks']): number {
  return tasks === null ? 0 : Math.max(0, tasks.asked_for - tasks.held_out);
}

function Inference({ told }: { readonly told: GetAdminOverviewAnswer }) {
  if (told.inference.length === 0) return null;
  return (
    <Table
      caption="Inference by provider"
      columns={[
        { title: 'Provider', isHead: true, cell: (each) => each.provider },
        { title: 'Requests', isNumber: true, cell: (each) => countText(each.requests) },
        { title: 'Failures', isNumber: true, cell: (each) => countText(each.failures) },
        {
          title: 'Tokens',
          isNumber: true,
          cell: (each) => countText(each.prompt_tokens + each.completion_tokens),
        },
      ]}
      rows={told.inference}
      keyOf={(each) => each.provider}
    />
  );
}

function Parked({ told }: { readonly told: GetAdminParkedMessagesAnswer }) {
  if (told.total === 0)
    return <Empty>None: every message was delivered, and there is nothing to do.</Empty>;
  return (
    <Table
      caption={`${told.total} messages failed in all their deliveries`}
      columns={[
        { title: 'Message', isHead: true, cell: (each) => each.msg_id },
        { title: 'Subject', cell: (each) => each.subject },
        { title: 'Error', cell: (each) => each.error },
        { title: 'Parked', cell: (each) => <When at={each.parked_at} /> },
      ]}
      rows={told.parked_messages}
      keyOf={(each) => each.msg_id}
    />
  );
}
