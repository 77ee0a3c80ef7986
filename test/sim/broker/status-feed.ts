export interface ConnectionStatus {
  readonly type: string;
}

/** What a connection tells of itself, to one reader. */
export class StatusFeed implements AsyncIterable<ConnectionStatus> {
  readonly #told: ConnectionStatus[] = [];
  #waiting: ((status: IteratorResult<ConnectionStatus>) => void) | undefined;

  push(status: ConnectionStatus): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#told.push(status);
    else waiting({ done: false, value: status });
  }

  [Symbol.asyncIterator](): AsyncIterator<ConnectionStatus> {
    return {
      next: () => {
        const value = this.#told.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return new Promise((resolve) => {
          this.#waiting = resolve;
        });
      },
    };
  }
}
