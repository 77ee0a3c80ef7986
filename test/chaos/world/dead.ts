/** Processes that are held dead: whoever keeps them running waits here before a restart. */
export class Dead {
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  hold(name: string): void {
    if (!this.#held.has(name)) this.#held.set(name, Promise.withResolvers());
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  release(name: string): void {
    this.#held.get(name)?.resolve();
    this.#held.delete(name);
  }

  releaseAll(): void {
    for (const name of [...this.#held.keys()]) this.release(name);
  }

  async untilReleased(name: string): Promise<void> {
    await this.#held.get(name)?.promise;
  }
}
