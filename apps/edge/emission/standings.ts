import { emissionCommands } from '../../../actors/emission-calculator/messages.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { epochOfTime } from '../../../machines/time/epoch.ts';
import { Gathered } from '../reads/gathered.ts';
import { type NewestStandings, type StandingsFor, standingsFor } from '../reads/standings.ts';
import type { ChainEpoch } from './chain-epoch.ts';

export interface StandingsDeps {
  readonly sql: Sql;
  readonly bus: CommandBus;
  /** Undefined where a simulated clock says which epoch it is. */
  readonly chainEpoch: Pick<ChainEpoch, 'current'> | undefined;
  readonly epochBlocks: number;
  readonly log: Pick<Logger, 'error'>;
}

export interface Standings {
  readonly epochIndex: number;
  readonly body: string;
  readonly isEligible: boolean;
}

/**
 * The standings of the epoch that it is now.
 *
 * 1. Never below the newest stored epoch, so that no client sees one go back, whichever edge it asks
 *    and whatever that edge knows of the chain.
 * 2. Only what is stored is served: nobody sees an epoch before its bytes are fixed.
 */
export class CurrentStandings {
  readonly #deps: StandingsDeps;
  /** Of those who ask in one turn, one statement: all validators want them when an epoch begins. */
  readonly #seen: Gathered<StandingsFor | undefined>;
  readonly #making = new Map<number, Promise<void>>();
  /** Said in the log once, and not to each validator that asks. */
  #refusedEpoch: number | undefined;

  constructor(deps: StandingsDeps) {
    this.#deps = deps;
    this.#seen = new Gathered<StandingsFor | undefined>(
      (hotkeys) => standingsFor(deps.sql, hotkeys),
      undefined,
    );
  }

  async for(validatorHotkey: string): Promise<Standings> {
    const ofChain = await this.#deps.chainEpoch?.current();
    let seen = await this.#look(validatorHotkey);
    const epochIndex = this.#epochOf(seen, ofChain);
    let { newest } = seen;
    if (newest === undefined || newest.epochIndex < epochIndex) {
      await this.#make(epochIndex);
      seen = await this.#look(validatorHotkey);
      newest = stored(seen.newest, epochIndex);
    }
    return { ...newest, isEligible: seen.isEligible };
  }

  async #look(validatorHotkey: string): Promise<StandingsFor> {
    const seen = await this.#seen.load(validatorHotkey);
    if (seen === undefined) throw new Error('whoever is asked for is answered');
    return seen;
  }

  #epochOf({ newest, nowMs }: StandingsFor, ofChain: number | undefined): number {
    const { chainEpoch, epochBlocks } = this.#deps;
    const now = chainEpoch === undefined ? epochOfTime(nowMs, epochBlocks) : ofChain;
    if (now === undefined && newest === undefined) {
      throw refusal('CHAIN_UNAVAILABLE', {
        says: 'The chain node does not say which epoch it is.',
      });
    }
    return Math.max(now ?? 0, newest?.epochIndex ?? 0);
  }

  /** The same command from every edge: whoever comes later gets the first one's answer. */
  #make(epochIndex: number): Promise<void> {
    const flight =
      this.#making.get(epochIndex) ??
      this.#askLoudly(epochIndex).finally(() => this.#making.delete(epochIndex));
    this.#making.set(epochIndex, flight);
    return flight;
  }

  /** An epoch that is refused comes from a chain node that is wrong, and somebody has to look at it. */
  async #askLoudly(epochIndex: number): Promise<void> {
    try {
      await this.#ask(epochIndex);
    } catch (error) {
      const isRefused = error instanceof Fault && error.code === 'CHAIN_UNAVAILABLE';
      if (isRefused && this.#refusedEpoch !== epochIndex) {
        this.#refusedEpoch = epochIndex;
        this.#deps.log.error('the chain node names an epoch that it cannot be', { error });
      }
      throw error;
    }
  }

  async #ask(epochIndex: number): Promise<void> {
    const answer = await this.#deps.bus.command(
      { kind: 'emission', part: 0 },
      {
        id: sha256Hex(`standings\n${epochIndex}`),
        type: 'make-standings',
        body: { epochIndex },
        account: 'system',
      },
    );
    emissionCommands['make-standings'].reply.parse(answer);
  }
}

/** A newer one may have been stored meanwhile, never none. */
function stored(newest: NewestStandings | undefined, epochIndex: number): NewestStandings {
  if (newest !== undefined && newest.epochIndex >= epochIndex) return newest;
  throw new Error(`the standings of epoch ${epochIndex} were made and are not there`);
}
