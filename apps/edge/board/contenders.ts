import type { FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import type { BoardRow } from '../reads/board-rows.ts';
import { Column } from './column.ts';

/** What the choice looks at; a version by its number. */
export interface Claim {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly qualifyingScore: string | null;
  readonly submittedAtUs: number;
  readonly isSurvivor: boolean;
  readonly isReigning: boolean;
}

export interface Claims {
  /** Of one miner: its versions that are eligible and not eliminated. */
  ableOf(miner: number): Iterable<number>;
  /** Negative where the left one of one miner's versions has the better score, or is newer. */
  compare(left: number, right: number): number;
  /** A version that raced, or reigned. */
  isHonoured(version: number): boolean;
  claimOf(version: number): Claim;
}

export interface ContenderRules {
  readonly suiteId: number;
  readonly qualifyingThreshold: string;
}

const usPerMs = 1000;
/** What `choice` holds: not looked yet, nobody, or a version and two more. */
const unknown = 0;
const nobody = 1;
const firstVersion = 2;

/** Whom a close of qualifying would enter now, kept by miner until something about it changes. */
export class Contenders {
  readonly #claims: Claims;
  readonly #choice = new Column(Uint32Array);
  readonly #isBanned = new Column(Uint8Array);
  /** A version and one more. */
  readonly #pinned = new Column(Uint32Array);

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  isBanned(miner: number): boolean {
    return this.#isBanned.get(miner) === 1;
  }

  put(miner: number, version: number, row: BoardRow): void {
    this.#isBanned.set(miner, row.isMinerBanned ? 1 : 0);
    if (row.isPinned) this.#pinned.set(miner, version + 1);
    else if (this.#pinned.get(miner) === version + 1) this.#pinned.set(miner, 0);
    this.#choice.set(miner, unknown);
  }

  /** The rules, the race or the reign are others now. */
  forget(): void {
    this.#choice.values.fill(unknown);
  }

  choiceOf(miner: number, rules: ContenderRules): number | undefined {
    if (this.#choice.get(miner) === unknown) {
      const version = this.#chosen(miner, rules);
      this.#choice.set(miner, version === undefined ? nobody : version + firstVersion);
    }
    const choice = this.#choice.get(miner);
    return choice === nobody ? undefined : choice - firstVersion;
  }

  /**
   * The versions among which the rule chooses: a pinned one, survivors, the top and the best. The others
   * lose against that one whatever else holds.
   */
  #chosen(miner: number, rules: ContenderRules): number | undefined {
    const able = [...this.#claims.ableOf(miner)];
    const best = able.reduce<number | undefined>(
      (first, each) =>
        first === undefined || this.#claims.compare(each, first) < 0 ? each : first,
      undefined,
    );
    const pinned = this.#pinned.get(miner) - 1;
    const candidates = able
      .filter((each) => each === best || each === pinned || this.#claims.isHonoured(each))
      .map((each) => ({ version: each, ...this.#candidate(miner, each, rules) }));
    const [entrant] = selectField(candidates, rules).entrants;
    if (entrant === undefined) return undefined;
    return candidates.find(({ agentVersionId }) => agentVersionId === entrant.agentVersionId)
      ?.version;
  }

  #candidate(miner: number, version: number, { suiteId }: ContenderRules): FieldCandidate {
    const claim = this.#claims.claimOf(version);
    return {
      agentVersionId: claim.agentVersionId,
      minerHotkey: claim.minerHotkey,
      state: 'ELIGIBLE',
      suiteId,
      qualifyingScore: claim.qualifyingScore,
      submittedAt: Math.floor(claim.submittedAtUs / usPerMs),
      isEliminated: false,
      isMinerBanned: this.isBanned(miner),
      isSurvivor: claim.isSurvivor,
      isTop: claim.isReigning,
      isPinned: this.#pinned.get(miner) === version + 1,
    };
  }
}
