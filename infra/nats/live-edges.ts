/** Beats of this edge in which another one may say nothing before it counts as gone. */
const silentBeatsMax = 3;

/**
 * Which edges are there, as one of them hears it. Silence is counted in its own beats and not in
 * time: a process that stood still for a while has missed the others, they have not been silent.
 */
export class LiveEdges {
  readonly #self: string;
  readonly #silentBeats = new Map<string, number>();
  #names: readonly string[];

  constructor(self: string) {
    this.#self = self;
    this.#names = [self];
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** True of one that was not known. */
  hear(name: string): boolean {
    if (name === this.#self) return false;
    const isNew = !this.#silentBeats.has(name);
    this.#silentBeats.set(name, 0);
    if (isNew) this.#list();
    return isNew;
  }

  /** It said goodbye or did not answer; hearing it brings it back. True of one that was there. */
  forget(name: string): boolean {
    const wasThere = this.#silentBeats.delete(name);
    if (wasThere) this.#list();
    return wasThere;
  }

  beat(): void {
    for (const [name, beats] of this.#silentBeats) {
      if (beats + 1 >= silentBeatsMax) this.forget(name);
      else this.#silentBeats.set(name, beats + 1);
    }
  }

  #list(): void {
    this.#names = [this.#self, ...this.#silentBeats.keys()];
  }
}
