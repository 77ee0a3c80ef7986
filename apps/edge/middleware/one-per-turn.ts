import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs one task in each turn of the event loop, in their order. Whatever else is ready goes between: a
 * burst of them keeps nobody else waiting for longer than one takes.
 */
export class OnePerTurn {
  readonly #tasks: (() => void)[] = [];

  add(task: () => void): void {
    // A turn that another task has begun would lend this one its trace.
    const inContext = AsyncLocalStorage.snapshot();
    this.#tasks.push(() => inContext(task));
    if (this.#tasks.length === 1) setImmediate(this.#turn);
  }

  readonly #turn = () => {
    const [task] = this.#tasks;
    try {
      task?.();
    } finally {
      this.#tasks.shift();
      if (this.#tasks.length > 0) setImmediate(this.#turn);
    }
  };
}
