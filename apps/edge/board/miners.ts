import { Column } from './column.ts';
import { HashIndex, mixed } from './hash-index.ts';
import { Marks } from './marks.ts';
import { markBeginnings, NamePool, namesAtOnce } from './name-search.ts';
import { TextPool } from './text-pool.ts';

export interface AgentRow {
  readonly agentName: string;
  readonly minerHotkey: string;
}

/** What a search found. */
export interface Hits {
  /** One for each agent that matches, and zeros. */
  readonly agents: Uint8Array;
  /** Their versions that are shown. */
  readonly total: number;
}

/**
 * Miners, their agents and those agents' versions, each by its number. A chain goes from a miner through
 * its agents and from an agent through its versions; in it stands the next number and one more, and zero
 * at its end.
 */
export class Miners {
  readonly #hotkeys = new TextPool();
  readonly #names = new NamePool();
  readonly #minerAgents = new Column(Uint32Array);
  readonly #nameOf = new Column(Uint32Array);
  readonly #minerOf = new Column(Uint32Array);
  readonly #nextAgent = new Column(Uint32Array);
  readonly #agentVersions = new Column(Uint32Array);
  readonly #nextVersion = new Column(Uint32Array);
  readonly #agents = new HashIndex((agent) =>
    mixed(this.#nameOf.get(agent), this.#minerOf.get(agent)),
  );
  readonly #marks = new Marks();
  #agentCount = 0;

  /** @returns its agent */
  addVersion({ agentName, minerHotkey }: AgentRow, version: number): number {
    const agent = this.#agentOf(this.#names.intern(agentName), this.#hotkeys.intern(minerHotkey));
    this.#nextVersion.set(version, this.#agentVersions.get(agent));
    this.#agentVersions.set(agent, version + 1);
    return agent;
  }

  minerOf(agent: number): number {
    return this.#minerOf.get(agent);
  }

  /** Undefined for a hotkey that it never heard of. */
  find(hotkey: string): number | undefined {
    return this.#hotkeys.find(hotkey);
  }

  nameOf(agent: number): string {
    return this.#names.textOf(this.#nameOf.get(agent));
  }

  hotkeyOf(miner: number): string {
    return this.#hotkeys.textOf(miner);
  }

  *versionsOfAgent(agent: number): Generator<number> {
    for (let next = this.#agentVersions.get(agent); next !== 0; ) {
      yield next - 1;
      next = this.#nextVersion.get(next - 1);
    }
  }

  *versionsOf(miner: number): Generator<number> {
    for (let next = this.#minerAgents.get(miner); next !== 0; ) {
      yield* this.versionsOfAgent(next - 1);
      next = this.#nextAgent.get(next - 1);
    }
  }

  /**
   * Agents whose name contains the text or whose miner's hotkey begins with it, in any case. Other work
   * is let through on the way, and what it adds is found as well.
   *
   * @param shown by agent, how many of its versions are shown
   * @param use what it is given holds until it returns
   */
  async search<T>(
    text: string,
    shown: Column<Uint32Array>,
    pause: () => Promise<void>,
    use: (hits: Hits) => T,
  ): Promise<T> {
    const part = text.toLowerCase();
    const ofName = this.#marks.take(this.#names.size);
    const ofMiner = this.#marks.take(this.#hotkeys.size);
    const agents = this.#marks.take(this.#agentCount);
    try {
      for (let stretch = 0; stretch * namesAtOnce < this.#names.size; stretch += 1) {
        if (stretch > 0) await pause();
        ofName.reserve(this.#names.size);
        this.#names.mark(stretch, part, ofName.values);
      }
      ofMiner.reserve(this.#hotkeys.size);
      markBeginnings(this.#hotkeys, part, ofMiner.values);
      agents.reserve(this.#agentCount);
      this.#markAgents(ofName.values, ofMiner.values, agents.values);
      return use({ agents: agents.values, total: sumOf(shown.values, agents.values) });
    } finally {
      this.#marks.giveBack(ofName, ofMiner, agents);
    }
  }

  #markAgents(ofName: Uint8Array, ofMiner: Uint8Array, agents: Uint8Array): void {
    const [names, miners] = [this.#nameOf.values, this.#minerOf.values];
    for (let agent = 0; agent < this.#agentCount; agent += 1) {
      if (ofName[names[agent] ?? 0] === 1 || ofMiner[miners[agent] ?? 0] === 1) agents[agent] = 1;
    }
  }

  #agentOf(name: number, miner: number): number {
    const hash = mixed(name, miner);
    const known = this.#agents.find(
      hash,
      (agent) => this.#nameOf.get(agent) === name && this.#minerOf.get(agent) === miner,
    );
    if (known !== undefined) return known;
    const agent = this.#agentCount;
    this.#agentCount += 1;
    this.#nameOf.set(agent, name);
    this.#minerOf.set(agent, miner);
    this.#nextAgent.set(agent, this.#minerAgents.get(miner));
    this.#minerAgents.set(miner, agent + 1);
    this.#agents.add(hash, agent);
    return agent;
  }
}

/** Of those that are marked. */
function sumOf(numbers: Uint32Array, marked: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < numbers.length; at += 1) if (marked[at] === 1) sum += numbers[at] ?? 0;
  return sum;
}
