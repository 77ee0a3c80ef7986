import { useEffect, useRef } from 'preact/hooks';
import type { Trace } from '../../../../cli/client/schemas.generated.ts';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { State, When } from '../../parts/words.tsx';
import { useAnswer } from '../../use-answer.ts';
import { durationText, lengthOf, type WaterfallRow, waterfallRows } from './waterfall-rows.ts';

/** One trace: what was done for it where, when, and for how long. */
export function TraceWaterfall({ id, token }: { readonly id: string; readonly token: string }) {
  const answer = useAnswer<Trace>(`/v1/admin/traces/${id}`, { token });
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section aria-labelledby="trace" class="panel trace">
      <h2 id="trace" tabIndex={-1} ref={head}>
        Trace <code>{id}</code>
      </h2>
      <Loaded answer={answer} what="the trace">
        {(trace) => <Whole trace={trace} reload={answer.reload} />}
      </Loaded>
    </section>
  );
}

function Whole({ trace, reload }: { readonly trace: Trace; readonly reload: () => void }) {
  const lengthMs = lengthOf(trace.spans);
  return (
    <>
      <p>
        {trace.name} <State of={stateOf[trace.outcome]} text={outcomeText(trace)} />, answered after{' '}
        {durationText(trace.duration_ms)}, all of it done after {durationText(lengthMs)}, in{' '}
        {trace.processes.join(' and ')}. <When at={trace.started_at} />
      </p>
      <Table
        caption={`${trace.spans.length} spans, each below the one that it is a part of`}
        columns={[
          {
            title: 'Span',
            isHead: true,
            cell: (row) => <Name row={row} of={trace} />,
          },
          { title: 'Process', cell: ({ span }) => span.process },
          {
            title: 'When',
            isMinor: true,
            cell: ({ span }) => <Bar row={span} lengthMs={lengthMs} />,
          },
          {
            title: 'After',
            isNumber: true,
            cell: ({ span }) => durationText(span.offset_ms),
          },
          { title: 'Took', isNumber: true, cell: ({ span }) => durationText(span.duration_ms) },
          { title: 'About', cell: ({ span }) => <About attributes={span.attributes} /> },
        ]}
        rows={waterfallRows(trace.spans)}
        keyOf={({ span }) => span.span_id}
        mark={({ span }) => (span.is_error ? 'is-apart' : undefined)}
      />
      {trace.dropped_spans > 0 && <p>{trace.dropped_spans} more spans were not kept.</p>}
      <p class="muted">
        Log lines of all processes name this trace as <code>trace_id</code>. What a coordinator
        commits for several requests at once stands in the trace of one, and is shown with the
        others too.
      </p>
      <button type="button" onClick={reload}>
        Look again
      </button>
    </>
  );
}

export const stateOf = { done: 'SUCCESS', refused: 'STALE', failed: 'FAILED' } as const;

export function outcomeText({
  outcome,
  status,
  fault,
}: Pick<Trace, 'fault' | 'outcome' | 'status'>): string {
  return [outcome, status, fault].filter((part) => part !== null).join(' ');
}

/** Deeper ones are further to the right; the depth is also said. */
function Name({ row, of }: { readonly row: WaterfallRow; readonly of: Trace }) {
  const { span, depth } = row;
  const isShared = span.trace_id !== of.trace_id;
  return (
    <span class={`depth-${Math.min(depth, depthMax)}`}>
      <span class="unseen">Level {depth + 1}: </span>
      {span.name}
      {span.is_error && <span class="badge">error</span>}
      {isShared && <span class="badge">for several</span>}
    </span>
  );
}

/** As far as styles.css goes. */
const depthMax = 6;
const width = 1000;

function Bar({ row, lengthMs }: { readonly row: WaterfallRow['span']; readonly lengthMs: number }) {
  const scale = lengthMs === 0 ? 0 : width / lengthMs;
  const x = Math.min(row.offset_ms * scale, width - 4);
  return (
    <svg
      class="waterfall"
      viewBox={`0 0 ${width} 12`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect x={x} y={1} width={Math.max(row.duration_ms * scale, 4)} height={10} />
    </svg>
  );
}

function About({ attributes }: { readonly attributes: Readonly<Record<string, string>> }) {
  const told = Object.entries(attributes).filter(([name]) => isTelling(name));
  if (told.length === 0) return <span class="muted">–</span>;
  return (
    <details>
      <summary>{told.length === 1 ? '1 fact' : `${told.length} facts`}</summary>
      <dl>
        {told.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** What each request has alike says nothing of this one. */
function isTelling(name: string): boolean {
  return !/^(network|server|user_agent|url\.scheme|http\.flavor)/.test(name);
}
