import type { NatsConnection } from 'nats';
import type { HistoryWatch } from '../history/history-watch.ts';
import type { Subscription, WireReply } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Service } from '../ports/lifecycle.ts';
import type { Logger } from '../ports/log.ts';
import { drained } from './signals.ts';

/**
 * Every coordinator answers with its database's genesis, and not as one of a group. Named as a service is,
 * since the rights of an edge let it ask those (infra/compose/nats-rights.conf).
 */
const subject = 'svc.genesis';
const answerWithinMs = 1_000;
const askEveryMs = 5_000;
/** Of a database that no coordinator ever worked on; such a one has nothing to order elsewhere. */
const noGenesis = 'none';

/** Two databases on one broker: each would answer what is meant for the other. */
export class OtherInstallation extends Error {
  override name = 'OtherInstallation';

  constructor(told: { readonly where: string; readonly ours: string; readonly theirs: string }) {
    super(
      `${told.where} of the broker in NATS_URL belongs to another database (genesis ${told.theirs}; that ` +
        `of DATABASE_URL is ${told.ours}). Two installations cannot share a broker: give one of them another ` +
        'broker, or an account of its own there. Streams stay marked by who came first: where that one has moved ' +
        'away, or a new database has replaced the old one on purpose, stop all processes and the ' +
        "broker, empty the broker's store (of `npm start`: `nats` in its data folder), and start them; what is to be " +
        'sent is in the database',
    );
  }
}

/** What a command says of where it is from. */
export function genesisHeader(genesis: (() => string | undefined) | undefined) {
  return genesis === undefined ? {} : { 'x-genesis': genesis() ?? noGenesis };
}

/** Versions before said nothing. */
export function isOfOther(from: string | undefined, ours: string | undefined): boolean {
  return from !== undefined && ours !== undefined && from !== ours;
}

/** Its own coordinators may answer as well; where there are none, the caller knows that nothing was done. */
export const notOurs: WireReply = { kind: 'moved' };

export function answerGenesis(connection: NatsConnection, genesis: string): Subscription {
  return drained(
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) message.respond(genesis);
      },
    }),
  );
}

/** Whose coordinators answer: ours as soon as one does, else another's; undefined where nobody does. */
async function askGenesis(connection: NatsConnection, ours: string): Promise<string | undefined> {
  let theirs: string | undefined;
  try {
    const waiting = { strategy: 'timer', maxWait: answerWithinMs } as const;
    for await (const message of await connection.requestMany(subject, '', waiting)) {
      const genesis = message.string();
      if (genesis === ours) return ours;
      if (genesis !== '') theirs = genesis;
    }
  } catch {
    // Nobody is there, or there is no broker.
  }
  return theirs;
}

/**
 * Says where coordinators of another database alone answer. What says whose a broker is are its streams: where they
 * are ours, somebody else has come by mistake, whose commands nobody here takes. Throws where that is not known.
 */
export async function requireOurs(
  connection: NatsConnection,
  { ours, areStreamsOurs }: { readonly ours: string; readonly areStreamsOurs: boolean },
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const theirs = await askGenesis(connection, ours);
  if (theirs === undefined || !isOfOther(theirs, ours)) return;
  const error = new OtherInstallation({ where: 'a coordinator', ours, theirs });
  if (!areStreamsOurs) throw error;
  log.error('coordinators of another database are at our broker: end them', { ours, theirs });
}

export interface InstallationWatchDeps {
  readonly connection: NatsConnection;
  readonly history: Pick<HistoryWatch, 'genesis' | 'hasLooked'>;
  readonly clock: Pick<Clock, 'every'>;
  readonly log: Pick<Logger, 'error' | 'info'>;
}

/** Whether the coordinators that an edge reaches are those of its database. Nobody answers: it stays as it is. */
export class InstallationWatch implements Service {
  readonly #deps: InstallationWatchDeps;
  #isOther = false;
  /** The database was read and has no genesis: its first coordinator may just be giving it one. */
  #wasNew = false;
  #stop: (() => void) | undefined;

  constructor(deps: InstallationWatchDeps) {
    this.#deps = deps;
  }

  get isOther(): boolean {
    return this.#isOther;
  }

  async start(): Promise<void> {
    // The connection may come to another broker at any time, and a coordinator to this one.
    this.#stop = this.#deps.clock.every(askEveryMs, () => this.#look());
    // Whoever would wait for it waits for all who do not answer.
    void this.#look();
  }

  async stop(): Promise<void> {
    this.#stop?.();
  }

  async #look(): Promise<void> {
    const { connection, history, log } = this.#deps;
    const { genesis, hasLooked } = history;
    const isNew = genesis === undefined && hasLooked;
    const isCertain = genesis !== undefined || (isNew && this.#wasNew);
    this.#wasNew = isNew;
    if (!isCertain) return;
    const ours = genesis ?? noGenesis;
    const theirs = await askGenesis(connection, ours);
    if (theirs === undefined) return;
    const isOther = theirs !== ours;
    if (isOther && !this.#isOther) {
      const { message } = new OtherInstallation({ where: 'a coordinator', ours, theirs });
      log.error(message, { ours, theirs });
    }
    if (!isOther && this.#isOther) log.info('the coordinators are those of this database again');
    this.#isOther = isOther;
  }
}
