import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../ports/log.ts';

export interface WatchedDeps {
  /** Where spans go, as a log line may show it. */
  readonly shownUrl: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly monotonicMs: () => number;
}

/** Of a collector that answers every other time as many lines come, and no more. */
const pauseMs = 60_000;

/**
 * Says once when spans begin to be lost, and once when they arrive again: OpenTelemetry drops them
 * without a word, so that a collector whose address is wrong looks like a service without requests.
 */
export class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #deps: WatchedDeps;
  #isLossSaid = false;
  #saidMs = Number.NEGATIVE_INFINITY;

  constructor(exporter: SpanExporter, deps: WatchedDeps) {
    this.#exporter = exporter;
    this.#deps = deps;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#arrived();
      else this.#lost(result.error);
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #lost(error: Error | undefined): void {
    const { log, monotonicMs, shownUrl: url } = this.#deps;
    if (this.#isLossSaid || monotonicMs() - this.#saidMs < pauseMs) return;
    this.#isLossSaid = true;
    this.#saidMs = monotonicMs();
    log.warn('traces are lost: their collector does not take them', { url, ...reasonOf(error) });
  }

  #arrived(): void {
    if (!this.#isLossSaid) return;
    this.#isLossSaid = false;
    this.#deps.log.info('the collector takes traces again', { url: this.#deps.shownUrl });
  }
}

/** The collector's status, or the code of what went wrong on the way to it. No stack of a library. */
function reasonOf(error: Error | undefined): Record<string, unknown> {
  const code: unknown = error === undefined ? undefined : Reflect.get(error, 'code');
  return { why: error?.message, ...(code !== undefined && { code }) };
}
