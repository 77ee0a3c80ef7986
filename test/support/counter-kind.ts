import type {
  Activation,
  Changes,
  Command,
  Decision,
  PartitionActor,
  PartitionKind,
  Reply,
} from '../../actors/runtime/partition-actor.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { Fault } from '../../machines/fault.ts';

/**
 * A kind for tests of the runtime: named counters. `add {key, by}` answers {value, seq}; `found` does so
 * for a counter that is not there yet, and throws otherwise; `send {key, to, by}` adds through a durable
 * message to another partition; `peek` answers from memory; `arm` makes one `ring` due. Decisions that
 * throw, that SQL refuses and that violate a constraint are there on purpose.
 */
export function counterKind(sql: Sql, options: CounterOptions = {}): PartitionKind {
  return {
    kind: 'counter',
    sharesCommits: true,
    faultByConstraint: {
      test_counter_not_full: 'AT_CAPACITY',
    },
    activate: async (part, activation) => {
      options.activated?.(part, activation);
      return new CounterActor(part, await load(sql, part), options);
    },
  };
}

export interface CounterOptions {
  readonly activated?: (part: number, activation: Activation) => void;
  readonly prepare?: (commands: readonly Command[]) => Promise<void>;
  /** Told instead of moving any deadline. */
  readonly extended?: (outageMs: number) => void;
  readonly delayed?: (byMs: number) => void;
  /** How long an `add-bound` stays valid after the decision. */
  readonly validMs?: number;
}

interface Counter {
  readonly value: number;
  readonly seq: number;
}

async function load(sql: Sql, part: number): Promise<Map<string, Counter>> {
  const rows = await sql<{ key: string; seq: string; context: { value: number } }[]>`
    select key, seq, context
    from rt.snapshot
    where kind = 'counter' and part = ${part} and not closed`;
  return new Map(rows.map((row) => [row.key, { value: row.context.value, seq: Number(row.seq) }]));
}

class CounterActor implements PartitionActor {
  readonly #part: number;
  readonly #options: CounterOptions;
  #state: Map<string, Counter>;
  #working: Map<string, Counter>;
  #armed: string[] = [];

  constructor(part: number, state: Map<string, Counter>, options: CounterOptions) {
    this.#part = part;
    this.#state = state;
    this.#working = state;
    this.#options = options;
  }

  async prepare(commands: readonly Command[]): Promise<void> {
    await this.#options.prepare?.(commands);
  }

  begin(): void {
    this.#working = new Map(this.#state);
  }

  commit(): void {
    this.#state = this.#working;
  }

  rollback(): void {
    this.#working = this.#state;
  }

  decide(command: Command, nowMs: number): Decision {
    const { key, by = 1, to = 0 } = command.body as { key: string; by?: number; to?: number };
    switch (command.type) {
      case 'add':
        return this.#add(command, key, by);
      case 'found':
        if (this.#working.has(key)) throw new Error(`${key} is there already`);
        return this.#add(command, key, by);
      case 'add-bound':
        return {
          ...this.#add(command, key, by),
          validUntilMs: nowMs + (this.#options.validMs ?? 0),
        };
      case 'send':
        return this.#send(command, { key, by, to });
      case 'arm':
        this.#armed.push(key);
        return { reply: { kind: 'ok', body: null } };
      case 'ring':
        this.#armed = this.#armed.filter((armed) => armed !== key);
        return this.#add(command, key, by);
      case 'refuse':
        throw new Fault('BANNED', 'refused by the actor');
      default:
        throw new Error(`no such command: ${command.type}`);
    }
  }

  answerFromMemory(command: Command): Reply | undefined {
    if (command.type !== 'peek') return undefined;
    const { key } = command.body as { key: string };
    return { kind: 'ok', body: this.#state.get(key) ?? { value: 0, seq: 0 } };
  }

  due(): readonly Command[] {
    return this.#armed.map((key) => ({
      id: `ring:${key}`,
      type: 'ring',
      body: { key },
      account: 'system',
      trace: {},
    }));
  }

  extendDeadlines(outageMs: number, overAtMs: number | undefined): void {
    if (overAtMs === undefined) this.#options.delayed?.(outageMs);
    else this.#options.extended?.(outageMs);
  }

  takeFlush(): undefined {
    return undefined;
  }

  stats(): Readonly<Record<string, number>> {
    return { counters: this.#state.size };
  }

  #add(command: Command, key: string, by: number): Decision {
    const before = this.#working.get(key) ?? { value: 0, seq: 0 };
    const after = { value: before.value + by, seq: before.seq + 1 };
    this.#working.set(key, after);
    return {
      reply: { kind: 'ok', body: after },
      changes: this.#changes(command, key, { after, by }),
    };
  }

  #send(command: Command, message: { key: string; by: number; to: number }): Decision {
    const own = this.#add(command, `${message.key}/sent`, message.by);
    const outbox = [
      {
        msgId: `${command.id}/message`,
        subject: `evt.counter.${message.to}.add`,
        body: { key: message.key, by: message.by },
      },
    ];
    return { reply: own.reply, changes: { ...(own.changes as Changes), outbox } };
  }

  #changes(command: Command, key: string, step: { after: Counter; by: number }): Changes {
    const id = { machine: 'counter', key, actorKey: key, seq: step.after.seq };
    return {
      events: [{ ...id, type: 'ADDED', typeVersion: 1, payload: { by: step.by } }],
      snapshots: [
        {
          ...id,
          machineVersion: 1,
          value: 'open',
          context: { value: step.after.value },
          closed: false,
        },
      ],
      operations: { add: [{ cmd: command.id, part: this.#part, key, amount: step.by }] },
      outbox: [],
    };
  }
}

/**
 * Rows of rt.partition and what rt.commit calls for the kind. `by` 13 is refused, 15 in its partition alone, whoever
 * else has its id; 16 finds a key taken; 1,000,666 violates: no test adds up to it. 14 waits for whoever holds the
 * advisory lock of that number, and for nobody else.
 */
export async function installCounters(sql: Sql, partitions: number): Promise<void> {
  await sql.unsafe(`
    delete from rt.partition;
    insert into rt.partition (kind, part)
    select 'counter', part from generate_series(0, ${partitions - 1}) as part;
    create table test_counter (
      part integer, key text, value bigint, additions integer,
      constraint test_counter_not_full check (value <> 1000666),
      -- No counting up ever comes by it, however fast the machine is.
      constraint test_counter_not_broken check (value <> -777),
      primary key (part, key));
    create function counter_apply(p_part integer, p_epoch bigint, p_operations jsonb, p_now timestamptz)
    returns void language plpgsql as $$
    declare
      v_row record;
    begin
      for v_row in
        select * from jsonb_to_recordset(p_operations -> 'add') as o (
          part integer, cmd text, key text, amount bigint)
      loop
        if v_row.amount = 13 then
          raise exception 'thirteen' using errcode = 'P0REJ', detail = jsonb_build_object(
            'cmd', v_row.cmd, 'code', 'COOLDOWN_ACTIVE', 'detail', 'not thirteen',
            'extras', jsonb_build_object('by', v_row.amount))::text;
        end if;
        if v_row.amount = 15 then
          perform rt.refuse_each(
            jsonb_build_array(jsonb_build_object('cmd', v_row.cmd, 'part', coalesce(v_row.part, p_part))),
            'AT_CAPACITY', 'not fifteen');
        end if;
        if v_row.amount = 16 then
          insert into test_counter (part, key) values (-1, 'taken'), (-1, 'taken');
        end if;
        if v_row.amount = 14 then
          perform pg_advisory_xact_lock_shared(14);
        end if;
        insert into test_counter (part, key, value, additions)
        values (coalesce(v_row.part, p_part), v_row.key, v_row.amount, 1)
        on conflict (part, key) do update
        set value = test_counter.value + excluded.value, additions = test_counter.additions + 1;
      end loop;
    end $$;
    grant select on test_counter to paddock_actor;`);
}
