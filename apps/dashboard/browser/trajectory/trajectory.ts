import { after, nowMs } from '../clock.ts';
import { ByteStore } from './byte-store.ts';
import { labelOf, type RecordLabel } from './labels.ts';
import { RecordIndex } from './record-index.ts';

/** Longer records are labelled by nothing: parsing them would hold up the page. */
const labelledBytesMax = 256 * 1024;
const shownBytesMax = 512 * 1024;
const previewBytes = 240;
/** How long the page may be held before it gets to draw. */
const turnMs = 24;
const tellMs = 80;

export type Reading = 'reading' | 'whole' | 'broken';

/** An episode while it is read and afterwards: what is there of it can be looked at at once. */
export class Trajectory {
  readonly #bytes = new ByteStore();
  readonly #index = new RecordIndex();
  readonly #watchers = new Set<() => void>();
  readonly #labels = new Map<number, RecordLabel>();
  #labelled = 0;
  state: Reading = 'reading';
  /** As far as it was announced. */
  readonly totalBytes: number | undefined;

  constructor(totalBytes: number | undefined) {
    this.totalBytes = totalBytes;
  }

  get count(): number {
    return this.#index.count;
  }

  /** Another one once records are others than before, as of lines when the second begins. */
  get generation(): number {
    return this.#index.generation;
  }

  get byteCount(): number {
    return this.#bytes.length;
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  async read(stream: ReadableStream<Uint8Array>, gone: AbortSignal): Promise<void> {
    const reader = stream.getReader();
    gone.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
    let turnEndsMs = nowMs() + turnMs;
    let toldMs = 0;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done || gone.aborted) break;
        this.#bytes.add(value);
        this.#index.add(value);
        if (nowMs() - toldMs > tellMs) {
          this.#tell();
          toldMs = nowMs();
        }
        if (nowMs() > turnEndsMs) {
          await pause();
          turnEndsMs = nowMs() + turnMs;
        }
      }
      this.state = 'whole';
    } catch {
      this.state = 'broken';
    }
    this.#index.finish();
    this.#tell();
  }

  /** The beginning of a record on one line. */
  preview(index: number): string {
    const [start, end] = this.#index.at(index);
    return this.#bytes.text(start, Math.min(end, start + previewBytes)).replaceAll(/\s+/g, ' ');
  }

  label(index: number): RecordLabel {
    if (this.#labelled !== this.generation) this.#labels.clear();
    this.#labelled = this.generation;
    const known = this.#labels.get(index);
    if (known !== undefined) return known;
    const [start, end] = this.#index.at(index);
    const isShort = end - start <= labelledBytesMax;
    const label = labelOf(isShort ? this.#bytes.text(start, end) : '');
    if (this.#labels.size > 10_000) this.#labels.clear();
    this.#labels.set(index, label);
    return label;
  }

  /** A record for reading: indented where it is JSON, and cut where nobody would read on. */
  detail(index: number): { readonly text: string; readonly cutBytes: number } {
    const [start, end] = this.#index.at(index);
    const cutBytes = Math.max(0, end - start - shownBytesMax);
    const text = this.#bytes.text(start, end - cutBytes);
    return { text: cutBytes > 0 ? text : indented(text), cutBytes };
  }

  /** The next failure after a record, from the beginning again after the last one. */
  async nextFailure(from: number): Promise<number | undefined> {
    let turnEndsMs = nowMs() + turnMs;
    const { generation } = this;
    for (let step = 1; step <= this.count; step++) {
      const index = (from + step) % this.count;
      if (this.label(index).failure !== undefined) return index;
      if (nowMs() > turnEndsMs) {
        await pause();
        // All that was known is now within the first record.
        if (generation !== this.generation) return this.nextFailure(0);
        turnEndsMs = nowMs() + turnMs;
      }
    }
    return undefined;
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => void after(0, resolve));
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
