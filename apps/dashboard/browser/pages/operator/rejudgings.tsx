import { useState } from 'preact/hooks';
import type { GetAdminRejudgingsAnswer } from '../../../../cli/client/paddock.generated.ts';
import type { Rejudging, RejudgingSummary } from '../../../../cli/client/schemas.generated.ts';
import { ask, newKey, type Refused } from '../../api.ts';
import { shortId } from '../../format.ts';
import { announce } from '../../parts/announcer.tsx';
import { Empty, Failure, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { State, When } from '../../parts/words.tsx';
import { asRefused } from '../../trajectory/open-episode.ts';
import { useAnswer } from '../../use-answer.ts';
import { RejudgingForm } from './rejudging-form.tsx';
import { RejudgingPreview } from './rejudging-preview.tsx';

/** Has counted runs judged again, shows what that would change, and applies or drops it. */
export function Rejudgings({ token }: { readonly token: string }) {
  const list = useAnswer<GetAdminRejudgingsAnswer>('/v1/admin/rejudgings?limit=50', {
    token,
    everyMs: 15_000,
  });
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <RejudgingForm
        token={token}
        onMade={(made) => {
          list.reload();
          setChosen(made.rejudging_id);
        }}
      />
      {chosen !== undefined && <One key={chosen} id={chosen} token={token} onEnded={list.reload} />}
      <section aria-labelledby="rejudgings">
        <h2 id="rejudgings">Rejudgings</h2>
        <Loaded answer={list} what="the rejudgings">
          {({ rejudgings }) =>
            rejudgings.length === 0 ? (
              <Empty>None yet: the form above has runs judged again.</Empty>
            ) : (
              <List rejudgings={rejudgings} onChoose={setChosen} />
            )
          }
        </Loaded>
      </section>
    </>
  );
}

function List({
  rejudgings,
  onChoose,
}: {
  readonly rejudgings: readonly RejudgingSummary[];
  readonly onChoose: (id: string) => void;
}) {
  return (
    <Table
      caption="Rejudgings, newest first"
      isCaptionHidden
      columns={[
        {
          title: 'Rejudging',
          isHead: true,
          cell: ({ rejudging_id: id }) => (
            <button type="button" class="plain" onClick={() => onChoose(id)}>
              {shortId(id)}
            </button>
          ),
        },
        { title: 'State', cell: (each) => <State of={each.status} /> },
        { title: 'Runs', cell: ({ runs }) => `${runs.evaluated} of ${runs.selected} judged` },
        { title: 'By', cell: (each) => each.created_by },
        { title: 'Why', cell: (each) => each.reason ?? '–' },
        { title: 'Made', cell: (each) => <When at={each.created_at} /> },
      ]}
      rows={rejudgings}
      keyOf={(each) => each.rejudging_id}
    />
  );
}

function One({
  id,
  token,
  onEnded,
}: {
  readonly id: string;
  readonly token: string;
  readonly onEnded: () => void;
}) {
  const path = `/v1/admin/rejudgings/${id}`;
  const answer = useAnswer<Rejudging>(path, { token, everyMs: 5_000 });
  const [failure, setFailure] = useState<Refused>();
  const [reason, setReason] = useState('');
  const end = (what: 'apply' | 'cancel') => {
    setFailure(undefined);
    const body = { reason: reason === '' ? null : reason };
    const order = { method: 'POST', body, token, idempotencyKey: newKey(what) } as const;
    ask(`${path}/${what}`, order).then(
      () => {
        announce(what === 'apply' ? 'The rejudging is applied.' : 'The rejudging is dropped.');
        answer.reload();
        onEnded();
      },
      (error: unknown) => setFailure(asRefused(error)),
    );
  };
  return (
    <section aria-labelledby="one" class="panel">
      <h2 id="one">Rejudging {shortId(id)}</h2>
      <Loaded answer={answer} what="the rejudging">
        {(told) => (
          <>
            <RejudgingPreview rejudging={told} />
            {(told.status === 'OPEN' || told.status === 'READY') && (
              <div class="form">
                <label>
                  Reason (needed to drop it)
                  <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
                </label>
                <button
                  type="button"
                  disabled={told.status !== 'READY'}
                  onClick={() => end('apply')}
                >
                  Apply
                </button>
                <button type="button" disabled={reason === ''} onClick={() => end('cancel')}>
                  Drop
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {failure !== undefined && <Failure failure={failure} what="the order" />}
    </section>
  );
}
