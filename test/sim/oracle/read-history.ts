import type { Kernel } from '../kernel/kernel.ts';
import type { Violations } from './violations.ts';

/** Of the answer that tells of one run. */
export interface RunRead {
  readonly status: string;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly identity: { readonly detail_released: boolean };
  readonly items: { readonly persisted_item_count: number };
}

/** What one client was told of a run's writes, each with what it had been told before. */
interface Acknowledged {
  readonly atMs: number;
  readonly items: number;
  /** Of the run's end, where that was told. */
  readonly status: string | undefined;
}

interface Seen {
  readonly items: number;
  readonly isOver: boolean;
}

/** What an answer to a request that is sent now may not fall behind. */
export interface RunQuestion {
  readonly client: string;
  readonly runId: string;
  readonly seen: Seen | undefined;
  readonly acknowledged: Acknowledged | undefined;
}

/** After it a write is seen through every edge (INV-50). */
const seenWithinMs = 1_000;
const over = new Set(['CANCELLED', 'FAILED', 'STALE', 'SUCCESS', 'TIMED_OUT']);

/**
 * What clients read, against what each had read and what it was told that is kept. Only answers count
 * that had arrived before the request was sent: of two that are under way together either may be older.
 */
export class ReadHistory {
  readonly #kernel: Kernel;
  readonly #violations: Violations;
  readonly #acknowledged = new Map<string, Acknowledged[]>();
  /** By client and run. */
  readonly #seen = new Map<string, Seen>();
  readonly #versions = new Map<string, number>();

  constructor(kernel: Kernel, violations: Violations) {
    this.#kernel = kernel;
    this.#violations = violations;
  }

  claimed(runId: string): void {
    this.#acknowledge(runId, { items: 0 });
  }

  stored(runId: string): void {
    this.#acknowledge(runId, { items: 1 });
  }

  ended(runId: string, status: string): void {
    this.#acknowledge(runId, { items: 0, status });
  }

  submitted(versionId: string): void {
    if (!this.#versions.has(versionId)) this.#versions.set(versionId, this.#kernel.nowMs);
  }

  /** To be called when the request is sent. */
  asks(client: string, runId: string): RunQuestion {
    const { nowMs } = this.#kernel;
    const acknowledged = (this.#acknowledged.get(runId) ?? []).findLast(
      ({ atMs }) => nowMs - atMs >= seenWithinMs,
    );
    return { client, runId, seen: this.#seen.get(`${client} ${runId}`), acknowledged };
  }

  foundNoRun({ client, runId, seen, acknowledged }: RunQuestion): void {
    if (seen !== undefined) this.#wrong('INV-50', `${client} had read run ${runId}, which is gone`);
    else if (acknowledged !== undefined) {
      this.#wrong('INV-50', `run ${runId} was given to ${client} and is not there`);
    }
  }

  readRun(question: RunQuestion, read: RunRead): void {
    this.#compareItems(question, read);
    this.#compareEnd(question, read);
    const { client, runId } = question;
    const key = `${client} ${runId}`;
    const before = this.#seen.get(key);
    this.#seen.set(key, {
      items: Math.max(read.items.persisted_item_count, before?.items ?? 0),
      isOver: over.has(read.status) || before?.isOver === true,
    });
  }

  /** A version that was asked for at `sentAtMs` was not found. */
  foundNoVersion(versionId: string, sentAtMs: number): void {
    const submittedMs = this.#versions.get(versionId);
    if (submittedMs === undefined || sentAtMs - submittedMs < seenWithinMs) return;
    this.#wrong('INV-50', `version ${versionId} was taken and is not there`);
  }

  #compareItems({ client, runId, seen, acknowledged }: RunQuestion, read: RunRead): void {
    const { persisted_item_count: items } = read.items;
    if (items < (seen?.items ?? 0)) {
      this.#wrong(
        'INV-21',
        `${client} had read ${seen?.items} results of run ${runId}, now ${items}`,
      );
    }
    if (items < (acknowledged?.items ?? 0)) {
      const kept = acknowledged?.items;
      this.#wrong('INV-50', `${kept} results of run ${runId} are kept, and ${items} are read`);
    }
  }

  #compareEnd({ client, runId, seen, acknowledged }: RunQuestion, read: RunRead): void {
    const { status, phase, identity } = read;
    if (seen?.isOver === true && !over.has(status)) {
      this.#wrong('INV-50', `${client} had read that run ${runId} is over, now it is ${status}`);
    }
    // How a validator judged in a race is told when that is released.
    if (phase === 'RACE' && !identity.detail_released) return;
    if (acknowledged?.status !== undefined && acknowledged.status !== status) {
      this.#wrong('INV-50', `run ${runId} ended ${acknowledged.status} and is read as ${status}`);
    }
  }

  #acknowledge(runId: string, { items, status }: { items: number; status?: string }): void {
    const all = this.#acknowledged.get(runId) ?? [];
    const last = all.at(-1);
    all.push({
      atMs: this.#kernel.nowMs,
      items: (last?.items ?? 0) + items,
      status: last?.status ?? status,
    });
    this.#acknowledged.set(runId, all);
  }

  #wrong(invariant: string, text: string): void {
    this.#violations.add(invariant, text);
  }
}
