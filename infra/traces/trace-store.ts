import type { KeptSpan } from './kept-span.ts';
import { outcomeOf, rootOf, statusOf, type TraceOutcome } from './trace-outcome.ts';

export interface TraceBounds {
  readonly tracesMax: number;
  /** Of all spans together, as JSON. */
  readonly bytesMax: number;
  readonly spansPerTraceMax: number;
}

export interface TraceSearch {
  /** A part of the root's name, in any case. */
  readonly route?: string | undefined;
  readonly outcome?: TraceOutcome | undefined;
  /** A part of its id, or of a name or an attribute of one of its spans. */
  readonly text?: string | undefined;
  readonly order: 'newest' | 'slowest';
  readonly limit: number;
  readonly offset: number;
}

/** One trace: its own spans, and those of others that name it as a cause. */
export interface KeptTrace {
  readonly traceId: string;
  readonly root: KeptSpan;
  readonly outcome: TraceOutcome;
  readonly spans: readonly KeptSpan[];
  readonly linked: readonly KeptSpan[];
  /** That came when it had as many as it may. */
  readonly droppedSpans: number;
}

interface Held {
  readonly traceId: string;
  readonly spans: KeptSpan[];
  readonly linked: KeptSpan[];
  /** Of both: an exporter that heard no answer sends the same again. */
  readonly spanIds: Set<string>;
  droppedSpans: number;
  /** Its name, outcome and status, while they are known. */
  group: string | undefined;
}

/**
 * The last traces, in memory.
 *
 * 1. Never more than `tracesMax` of them, nor more than `bytesMax` of spans; a trace that grows without
 *    end keeps its first `spansPerTraceMax`.
 * 2. Beyond that the oldest is forgotten of whatever name, outcome and status most traces have: a
 *    thousand reads that went well do not push out the one submission, nor the one read that failed.
 * 3. Spans come in any order and from several processes; a link may come before what it leads to. What
 *    only links tell of is no trace yet: it takes no trace's place, and is forgotten before any.
 */
export class TraceStore {
  readonly #bounds: TraceBounds;
  /** In the order in which the first span of each came. */
  readonly #held = new Map<string, Held>();
  /** Of which only others have spoken, in the order in which they did. */
  readonly #awaited = new Map<string, Held>();
  /** Each once, however many traces show it. */
  readonly #charged = new Map<KeptSpan, { readonly bytes: number; holders: number }>();
  #bytes = 0;

  constructor(bounds: TraceBounds) {
    this.#bounds = bounds;
  }

  add(spans: readonly KeptSpan[]): void {
    for (const span of spans) {
      this.#keep(span, this.#open(span.traceId), 'spans');
      for (const traceId of span.linkedTraceIds) this.#keep(span, this.#await(traceId), 'linked');
    }
    const { tracesMax, bytesMax } = this.#bounds;
    while (this.#awaited.size > tracesMax) this.#forgetAwaited();
    while (this.#held.size > tracesMax) this.#forgetOne();
    while (this.#bytes > bytesMax) {
      if (this.#awaited.size > 0) this.#forgetAwaited();
      else this.#forgetOne();
    }
  }

  find(traceId: string): KeptTrace | undefined {
    const held = this.#held.get(traceId);
    return held === undefined ? undefined : traceOf(held);
  }

  search(search: TraceSearch): { readonly total: number; readonly traces: readonly KeptTrace[] } {
    const found = [...this.#held.values()]
      .flatMap((held) => traceOf(held) ?? [])
      .filter((trace) => fits(trace, search))
      .sort(search.order === 'slowest' ? bySlowness : byAge);
    const { offset, limit } = search;
    return { total: found.length, traces: found.slice(offset, offset + limit) };
  }

  #open(traceId: string): Held {
    const known = this.#held.get(traceId);
    if (known !== undefined) return known;
    const held = this.#awaited.get(traceId) ?? nothingOf(traceId);
    this.#awaited.delete(traceId);
    this.#held.set(traceId, held);
    return held;
  }

  #await(traceId: string): Held {
    const known = this.#held.get(traceId) ?? this.#awaited.get(traceId);
    if (known !== undefined) return known;
    const held = nothingOf(traceId);
    this.#awaited.set(traceId, held);
    return held;
  }

  #keep(span: KeptSpan, held: Held, as: 'linked' | 'spans'): void {
    if (held.spanIds.has(span.spanId)) return;
    if (held.spanIds.size >= this.#bounds.spansPerTraceMax) {
      held.droppedSpans += 1;
      return;
    }
    held.spanIds.add(span.spanId);
    held[as].push(span);
    held.group = undefined;
    this.#charge(span);
  }

  #charge(span: KeptSpan): void {
    const charge = this.#charged.get(span);
    if (charge !== undefined) {
      charge.holders += 1;
      return;
    }
    const bytes = JSON.stringify(span).length;
    this.#charged.set(span, { bytes, holders: 1 });
    this.#bytes += bytes;
  }

  #release({ spans, linked }: Held): void {
    for (const span of [...spans, ...linked]) {
      const charge = this.#charged.get(span);
      if (charge === undefined) continue;
      charge.holders -= 1;
      if (charge.holders > 0) continue;
      this.#charged.delete(span);
      this.#bytes -= charge.bytes;
    }
  }

  #forgetAwaited(): void {
    const [oldest] = this.#awaited.values();
    if (oldest === undefined) return;
    this.#awaited.delete(oldest.traceId);
    this.#release(oldest);
  }

  #forgetOne(): void {
    const groups = Map.groupBy(this.#held.values(), groupOf);
    const largest = [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? [];
    const [oldest] = largest;
    if (oldest === undefined) return;
    this.#held.delete(oldest.traceId);
    this.#release(oldest);
  }
}

function nothingOf(traceId: string): Held {
  const counts = { droppedSpans: 0, group: undefined };
  return { traceId, spans: [], linked: [], spanIds: new Set(), ...counts };
}

/** Undefined while only others have spoken of it: its own spans may still come. */
function traceOf({ traceId, spans, linked, droppedSpans }: Held): KeptTrace | undefined {
  const root = rootOf(spans);
  if (root === undefined) return undefined;
  return { traceId, root, outcome: outcomeOf(root, spans), spans, linked, droppedSpans };
}

function groupOf(held: Held): string {
  const root = held.group === undefined ? rootOf(held.spans) : undefined;
  held.group ??= root === undefined ? '' : kindOf(root, held.spans);
  return held.group;
}

/** A claim that got a run is another kind of trace than the hundred that found none. */
function kindOf(root: KeptSpan, spans: readonly KeptSpan[]): string {
  return `${outcomeOf(root, spans)} ${statusOf(root) ?? ''} ${root.name}`;
}

function fits(trace: KeptTrace, { route, outcome, text }: TraceSearch): boolean {
  if (outcome !== undefined && trace.outcome !== outcome) return false;
  if (route !== undefined && !has(trace.root.name, route)) return false;
  return text === undefined || holds(trace, text);
}

function holds({ traceId, spans, linked }: KeptTrace, text: string): boolean {
  if (has(traceId, text)) return true;
  return [...spans, ...linked].some(
    ({ name, attributes }) =>
      has(name, text) || Object.values(attributes).some((value) => has(value, text)),
  );
}

function has(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function byAge(a: KeptTrace, b: KeptTrace): number {
  return b.root.startMs - a.root.startMs;
}

function bySlowness(a: KeptTrace, b: KeptTrace): number {
  return b.root.endMs - b.root.startMs - (a.root.endMs - a.root.startMs);
}
