import { type Context, type Link, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import { isHeartbeat } from './quiet-requests.ts';

export interface SparingOptions {
  /** Begun by this process; what comes beyond has its ids alone. */
  readonly tracesPerSecond: number;
  readonly monotonicMs: () => number;
}

/** Half of all requests, and each like the one before. */
const heartbeatsPerTrace = 20;

/**
 * Which traces are recorded.
 *
 * 1. A trace begins with a request or with work of our own, and is recorded whole or not at all: what
 *    goes on in it, in this process or another, follows.
 * 2. At most `tracesPerSecond` are begun, whatever a caller's own `traceparent` asks for: a flood costs
 *    us no spans. One that the caller does not record is not recorded here either (W3C).
 * 3. Of heartbeats one in twenty is.
 * 4. Work for several, which is a part of no trace, is recorded where one of theirs is.
 */
export class SparingSampler implements Sampler {
  readonly #options: SparingOptions;
  #second = Number.NEGATIVE_INFINITY;
  #begun = 0;
  #heartbeats = 0;

  constructor(options: SparingOptions) {
    this.#options = options;
  }

  shouldSample(...about: Parameters<Sampler['shouldSample']>): ReturnType<Sampler['shouldSample']> {
    const [context, , , kind, attributes, links] = about;
    const isSeen = this.#isSeen(context, {
      kind,
      links,
      path: String(attributes['url.path'] ?? ''),
    });
    return { decision: isSeen ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  #isSeen(
    context: Context,
    span: { readonly kind: SpanKind; readonly links: readonly Link[]; readonly path: string },
  ): boolean {
    const around = trace.getSpanContext(context);
    const isRequest =
      span.kind === SpanKind.SERVER && (around?.isRemote ?? true) && span.path !== '';
    if (around !== undefined && !isRequest) return isRecorded(around.traceFlags);
    if (around !== undefined && !isRecorded(around.traceFlags)) return false;
    if (!isRequest && span.links.length > 0) {
      return span.links.some((link) => isRecorded(link.context.traceFlags));
    }
    if (isHeartbeat(span.path) && this.#heartbeats++ % heartbeatsPerTrace !== 0) return false;
    return this.#mayBegin();
  }

  #mayBegin(): boolean {
    const second = Math.floor(this.#options.monotonicMs() / 1000);
    if (second !== this.#second) this.#begun = 0;
    this.#second = second;
    if (this.#begun >= this.#options.tracesPerSecond) return false;
    this.#begun += 1;
    return true;
  }

  toString(): string {
    return `SparingSampler{${this.#options.tracesPerSecond}/s}`;
  }
}

function isRecorded(flags: number): boolean {
  return (flags & TraceFlags.SAMPLED) !== 0;
}
