import type { ExecutionContext } from 'ava';
import { createRaceKind } from '../../actors/race-coordinator/race-coordinator.actor.ts';
import { commitBatch } from '../../actors/runtime/commit-batch.ts';
import type { Command, PartitionActor, Reply } from '../../actors/runtime/partition-actor.ts';
import { randomId, uuidV5 } from '../../infra/ids/ids.ts';
import type { LogFields } from '../../infra/ports/log.ts';
import type { CommitOutcome } from '../../infra/ports/partition-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createPartitionStore } from '../../infra/postgres/partition-store.ts';
import type { DailyClose } from '../../machines/time/pacific-noon.ts';
import { testDatabase } from './cluster.ts';
import { patient } from './patient.ts';
import { silentLogger } from './silent-telemetry.ts';
import { trialPolicy } from './trial-races.ts';

/** 11:00 in Los Angeles, an hour before a close. */
export const startMs = Date.UTC(2026, 6, 8, 18, 0, 0);
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export interface Done {
  readonly reply: Reply;
  readonly outcome: CommitOutcome | undefined;
  /** 1 unless the grounds of the decision moved. */
  readonly attempts: number;
}

export interface SendOptions {
  /** The same again is a redelivery. */
  readonly id?: string;
  /** Happens once, after the tables were read and before the commit. */
  readonly meanwhile?: () => Promise<unknown>;
}

export interface Warning {
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** One race partition over a real database, at whatever time the test says it is. */
export interface RaceDesk {
  readonly sql: Sql;
  /** Warnings, the oldest first. */
  readonly warnings: readonly Warning[];
  nowMs: number;
  /** Of the database's history, as whoever takes over from here on knows it. */
  branch: number;
  /** As it is configured; whoever takes over from here on goes by it. */
  close: DailyClose;
  /** A durable message, or a command that is due. */
  send(type: string, body: unknown, options?: SendOptions): Promise<Done>;
  /** In one batch and one commit. */
  sendTogether(commands: readonly (readonly [type: string, body: unknown])[]): Promise<void>;
  /** What is due now, until nothing is. */
  tick(options?: SendOptions): Promise<readonly string[]>;
  /** Another owner loads what was committed. */
  takeOver(): Promise<void>;
  /** The owner was cut off for so long, and is not any more. */
  endOutage(outageMs: number): void;
  nextDueMs(): number | undefined;
}

/** As the product waits for statements, for those who measure them. */
export const asTheProduct: typeof patient = (url) => ({ url });

/** The desk works with the rights of a coordinator; its `sql` is the superuser's. */
export async function openRaceDesk(t: ExecutionContext, waits = patient): Promise<RaceDesk> {
  const { url, sql } = await testDatabase(t);
  const own = createSql({
    ...waits(url),
    ...{ max: 2, applicationName: 'race desk', role: 'paddock_actor' },
  });
  t.teardown(() => closeSql(own));
  const desk = new OpenDesk(sql, own, 1);
  await desk.takeOver();
  return desk;
}

class OpenDesk implements RaceDesk {
  readonly sql: Sql;
  readonly warnings: Warning[] = [];
  nowMs = startMs;
  branch = 0;
  close: DailyClose = { closeTime: '12:00', timeZone: 'America/Los_Angeles' };
  readonly #own: Sql;
  readonly #part: number;
  readonly #incarnation = randomId();
  #epoch = 0;
  #actor: PartitionActor | undefined;

  constructor(sql: Sql, own: Sql, part: number) {
    this.sql = sql;
    this.#own = own;
    this.#part = part;
  }

  async takeOver(): Promise<void> {
    const sql = this.#own;
    const member = `member-${this.#incarnation}`;
    await sql`select rt.join(${member}, ${this.#incarnation}, '1 hour', 1, ${['race']})`;
    const [claimed] = await sql<{ epoch: number }[]>`
      select new_epoch::int as epoch
      from rt.claim('race', ${this.#part}, ${this.#epoch}, ${member}, ${this.#incarnation})`;
    this.#epoch = claimed?.epoch ?? 0;
    const kind = createRaceKind({
      sql,
      configured: { ...trialPolicy, requiredSuccessesQualifying: 2, embargoMs: 6 * hourMs },
      close: this.close,
      drawSecret: new Uint8Array(32).fill(7),
      branch: this.branch,
      ids: { uuidV5 },
      log: {
        ...silentLogger,
        warn: (message, fields) => void this.warnings.push({ message, fields }),
      },
    });
    const { nowMs } = this;
    this.#actor = await kind.activate(this.#part, {
      ...{ nowMs, takeover: { parts: [this.#part] } },
      amnestyUntilMs: () => nowMs,
    });
  }

  async send(type: string, body: unknown, options: SendOptions = {}): Promise<Done> {
    const id = options.id ?? randomId();
    return await this.#act({ id, type, body, account: 'test', trace: {} }, 'message', options);
  }

  async sendTogether(commands: readonly (readonly [type: string, body: unknown])[]): Promise<void> {
    const actor = this.#actor;
    if (actor === undefined) throw new Error('nobody owns the partition');
    const batch = commands.map(([type, body]) => {
      return { id: randomId(), type, body, account: 'test', trace: {} };
    });
    await actor.prepare(batch, this.nowMs);
    actor.begin();
    const decided = batch.map((command) => {
      const letter = { source: 'message', command } as never;
      return { letter, decision: actor.decide(command, this.nowMs) };
    });
    const token = this.#token();
    const outcome = await createPartitionStore(this.#own).commit(
      token,
      commitBatch(token, decided, 30_000),
    );
    if (outcome.kind !== 'committed') throw new Error(`not committed but ${outcome.kind}`);
    actor.commit();
  }

  async tick(options: SendOptions = {}): Promise<readonly string[]> {
    const types: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const commands = this.#actor?.due(this.nowMs) ?? [];
      for (const command of commands) {
        const { reply, outcome } = await this.#act(command, 'timer', options);
        if (reply.kind === 'fault' || (outcome && outcome.kind !== 'committed')) {
          const told = JSON.stringify({ reply, outcome });
          throw new Error(`${command.type}: ${told}`, { cause: outcome });
        }
        types.push(command.type);
      }
      if (commands.length === 0) return types;
    }
    throw new Error(`there is no end to what is due: ${types.join()}`);
  }

  endOutage(outageMs: number): void {
    this.#actor?.extendDeadlines(outageMs, this.nowMs);
  }

  nextDueMs(): number | undefined {
    return this.#actor?.nextDueMs?.();
  }

  /** As the runtime does: what only a lock or a moved ground stood against is decided afresh. */
  async #act(command: Command, source: 'message' | 'timer', options: SendOptions): Promise<Done> {
    for (let attempts = 1; ; attempts += 1) {
      const meanwhile = attempts === 1 ? options.meanwhile : undefined;
      const done = await this.#attempt(command, source, meanwhile);
      if (done.outcome?.kind !== 'contended' || attempts === 4) return { ...done, attempts };
    }
  }

  async #attempt(
    command: Command,
    source: 'message' | 'timer',
    meanwhile: SendOptions['meanwhile'],
  ): Promise<Omit<Done, 'attempts'>> {
    const actor = this.#actor;
    if (actor === undefined) throw new Error('nobody owns the partition');
    await actor.prepare([command], this.nowMs);
    actor.begin();
    const decision = actor.decide(command, this.nowMs);
    await meanwhile?.();
    if (decision.changes === undefined && source === 'timer') {
      actor.commit();
      return { reply: decision.reply, outcome: undefined };
    }
    const token = this.#token();
    const letter = { source, command } as never;
    const batch = commitBatch(token, [{ letter, decision }], 30_000);
    const outcome = await createPartitionStore(this.#own).commit(token, batch);
    if (outcome.kind === 'committed') actor.commit();
    else actor.rollback();
    return { reply: decision.reply, outcome };
  }

  #token() {
    const incarnation = this.#incarnation;
    return { kind: 'race', part: this.#part, epoch: this.#epoch, incarnation };
  }
}
