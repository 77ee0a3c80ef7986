import { useEffect, useState } from 'preact/hooks';
import type { GetAdminTracesAnswer } from '../../../../cli/client/paddock.generated.ts';
import type { TraceSummary } from '../../../../cli/client/schemas.generated.ts';
import { after } from '../../clock.ts';
import { countText } from '../../format.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { State, When } from '../../parts/words.tsx';
import { useAnswer } from '../../use-answer.ts';
import { outcomeText, stateOf, TraceWaterfall } from './trace-waterfall.tsx';
import { durationText } from './waterfall-rows.ts';

interface Asked {
  readonly order: string;
  readonly outcome: string;
  readonly route: string;
  readonly text: string;
}

const shownMax = 100;
/** Whoever stops for so long has written what he meant: no request for each key. */
const writingMs = 400;

/** The last traces, and one of them span by span. */
export function Traces({ token }: { readonly token: string }) {
  const [asked, setAsked] = useState<Asked>({ order: 'newest', outcome: '', route: '', text: '' });
  const [chosen, setChosen] = useState<string>();
  const query = useSettled(queryOf(asked));
  const answer = useAnswer<GetAdminTracesAnswer>(`/v1/admin/traces?${query}`, {
    token,
    everyMs: 5_000,
  });
  return (
    <>
      {chosen !== undefined && <TraceWaterfall key={chosen} id={chosen} token={token} />}
      <Filter asked={asked} onAsk={setAsked} />
      <Loaded answer={answer} what="the traces">
        {(told) => <Found told={told} onChoose={setChosen} />}
      </Loaded>
    </>
  );
}

/** As it was when it last stayed the same for a while. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => after(writingMs, () => setSettled(text)), [text]);
  return settled;
}

function queryOf(asked: Asked): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '');
  return new URLSearchParams([['limit', String(shownMax)], ...given]).toString();
}

function Filter({
  asked,
  onAsk,
}: {
  readonly asked: Asked;
  readonly onAsk: (asked: Asked) => void;
}) {
  return (
    <search class="form">
      <label>
        Order
        <select
          value={asked.order}
          onChange={(event) => onAsk({ ...asked, order: event.currentTarget.value })}
        >
          <option value="newest">newest first</option>
          <option value="slowest">slowest first</option>
        </select>
      </label>
      <label>
        Outcome
        <select
          value={asked.outcome}
          onChange={(event) => onAsk({ ...asked, outcome: event.currentTarget.value })}
        >
          <option value="">any</option>
          <option value="done">done</option>
          <option value="refused">refused</option>
          <option value="failed">failed</option>
        </select>
      </label>
      <label>
        Route, or a part of it
        <input
          type="search"
          maxLength={200}
          value={asked.route}
          onInput={(event) => onAsk({ ...asked, route: event.currentTarget.value })}
        />
      </label>
      <label>
        Id of a run or trace, or a fault
        <input
          type="search"
          maxLength={200}
          value={asked.text}
          onInput={(event) => onAsk({ ...asked, text: event.currentTarget.value })}
        />
      </label>
    </search>
  );
}

function Found({
  told,
  onChoose,
}: {
  readonly told: GetAdminTracesAnswer;
  readonly onChoose: (id: string) => void;
}) {
  if (!told.is_kept) return <Elsewhere sentTo={told.sent_to} />;
  if (told.total === 0)
    return <Empty>None of the last traces fits. Ask for less, or wait for new ones.</Empty>;
  return (
    <Table
      caption={captionOf(told)}
      columns={[
        {
          title: 'What',
          isHead: true,
          cell: (each: TraceSummary) => (
            <button type="button" class="plain" onClick={() => onChoose(each.trace_id)}>
              {each.name}
            </button>
          ),
        },
        {
          title: 'Outcome',
          cell: (each) => <State of={stateOf[each.outcome]} text={outcomeText(each)} />,
        },
        { title: 'Took', isNumber: true, cell: (each) => durationText(each.duration_ms) },
        { title: 'Spans', isNumber: true, isMinor: true, cell: (each) => each.span_count },
        { title: 'Processes', isMinor: true, cell: (each) => each.processes.join(', ') },
        { title: 'When', cell: (each) => <When at={each.started_at} /> },
      ]}
      rows={told.traces}
      keyOf={(each) => each.trace_id}
    />
  );
}

function captionOf({ total, traces }: GetAdminTracesAnswer): string {
  const shown = traces.length < total ? `, of which ${traces.length} are shown` : '';
  return `${countText(total)} of the last traces${shown}; choose one to see all of it`;
}

/** Where nothing is kept for this page. */
function Elsewhere({ sentTo }: { readonly sentTo: string | null }) {
  return (
    <div class="notice">
      <p>
        <strong>No traces are kept here.</strong>
      </p>
      {sentTo === null ? (
        <p>
          This service records none. <code>npm start</code> keeps the last ones for this page (with{' '}
          <code>--serve</code>: add <code>--traces</code>); elsewhere, set{' '}
          <code>OTEL_EXPORTER_OTLP_ENDPOINT</code> of every process to a collector that takes OTLP
          over HTTP, and look at its page.
        </p>
      ) : (
        <p>
          Every process sends them to a collector at <code>{sentTo}</code>, as{' '}
          <code>OTEL_EXPORTER_OTLP_ENDPOINT</code> says; open the page that this collector feeds.
          The id of a trace is the <code>X-Request-Id</code> of an answer and the{' '}
          <code>trace_id</code> of log lines.
        </p>
      )}
    </div>
  );
}
