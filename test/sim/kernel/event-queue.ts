export interface QueuedEvent {
  readonly atUs: number;
  /** Drawn from the seed: who goes first among those that are due at the same instant. */
  readonly tie: number;
  readonly number: number;
}

/** A binary heap by instant, then by the seed's choice, then by age. */
export class EventQueue<E extends QueuedEvent> {
  readonly #heap: E[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): E | undefined {
    return this.#heap[0];
  }

  push(event: E): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): E | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      if (below === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(left: QueuedEvent, right: QueuedEvent): boolean {
  if (left.atUs !== right.atUs) return left.atUs < right.atUs;
  if (left.tie !== right.tie) return left.tie < right.tie;
  return left.number < right.number;
}
