import { createInbox, type MsgHdrs, type NatsConnection } from 'nats';
import type { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';
import { afterThisTurn, type Soon } from '../clock/this-turn.ts';
import type { CommandBus, OutgoingCommand, RequestBudget, WireReply } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { Inbox } from './inbox.ts';
import { genesisHeader } from './installation.ts';
import { backoffMs, chance } from './jitter.ts';
import { refusedBy } from './refused-reply.ts';
import { commandHeaders, encodeJson, readReply } from './wire.ts';

export interface CommandBusDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Of this process's database, as far as it is known: owners of another one decide nothing. */
  readonly genesis?: () => string | undefined;
  /** Where replies arrive, and nobody else's ever did; a name of chance unless told. */
  readonly inbox?: string;
  /** When to send what was asked; at the end of the event loop's turn unless told. */
  readonly soon?: Soon;
}

/** All attempts of one request, below the HTTP server's own limit. */
const budgetMs = 10_000;
/** One attempt; a takeover after a crash lasts about as long. */
const usualAttemptMs = 2_000;
/** The first attempt at a quick service, tens of times what it takes; each further one waits twice as long. */
const quickAttemptMs = 250;
const firstBackoffMs = 20;
const lastBackoffMs = 250;
/**
 * An attempt that is cut short makes an outcome unknown that was known until then, so none but the
 * first begins with less.
 */
const leastRetryMs = 100;
/** A database that is away longer is told at once, so that callers do not pile up here. */
const storePatienceMs = 3_000;
/** The broker's limit of 1 MiB counts the headers, too. */
const payloadBytesMax = 1_048_576 - 16_384;
/** At most five a second for one partition. */
const suspectEveryMs = 200;

export function createCommandBus(deps: CommandBusDeps): CommandBus {
  const { connection, clock, inbox: name = createInbox(), soon = afterThisTurn } = deps;
  const inbox = new Inbox({ connection, clock, name, soon });
  const asking = { ...deps, inbox };
  const suspected = new Map<string, number>();
  const suspect = (kind: string, part: number) => {
    const key = `${kind}.${part}`;
    const nowMs = deps.clock.monotonicMs();
    if (nowMs - (suspected.get(key) ?? -suspectEveryMs) < suspectEveryMs) return;
    suspected.set(key, nowMs);
    deps.connection.publish('sys.suspect', encodeJson({ kind, part }));
  };
  return {
    command: (target, command, options) =>
      request(asking, {
        subject: `cmd.${target.kind}.${target.part}`,
        command,
        options,
        onAbsent: () => suspect(target.kind, target.part),
      }),
    call: (service, command, options) =>
      request(asking, { subject: `svc.${service}`, command, options, onAbsent: () => undefined }),
  };
}

interface Request {
  readonly subject: string;
  readonly command: OutgoingCommand;
  readonly options: RequestBudget | undefined;
  readonly onAbsent: () => void;
}

/** Why the last attempt gave no answer that counts. */
type Miss = 'absent' | 'moved' | 'silent' | 'no-store' | 'overloaded';

type Asking = Omit<CommandBusDeps, 'inbox'> & { readonly inbox: Inbox };

async function request(deps: Asking, asked: Request): Promise<unknown> {
  const { clock, telemetry } = deps;
  const options = { kind: 'client', attributes: { subject: asked.subject } } as const;
  return telemetry.span(`cmd ${asked.command.type}`, options, async () => {
    const startedMs = clock.monotonicMs();
    const budget = asked.options?.budgetMs ?? budgetMs;
    const deadlineMs = clock.nowMs() + budget;
    const payload = payloadOf(asked.command);
    const misses = new Set<Miss>();
    for (let attempt = 0; ; attempt += 1) {
      const leftMs = budget - (clock.monotonicMs() - startedMs);
      if (leftMs < leastMs(attempt)) throw gaveUp(misses);
      const times = { budgetMs: leftMs, deadlineMs };
      const headers = commandHeaders(asked.command, times, {
        ...telemetry.traceHeaders(),
        ...genesisHeader(deps.genesis),
      });
      const timeoutMs = Math.min(attemptMsOf(attempt, asked.options), Math.ceil(leftMs));
      const outcome = await ask(deps.inbox, asked.subject, { payload, headers, timeoutMs });
      if (typeof outcome === 'object') return bodyOf(outcome);
      misses.add(outcome);
      if (outcome === 'absent') asked.onAbsent();
      if (isHopeless(outcome, asked.options, budget - leftMs)) throw gaveUp(misses);
      // A silent owner used up its own wait.
      if (outcome !== 'silent') {
        await clock.sleep(Math.min(backoffMs(attempt, firstBackoffMs, lastBackoffMs), leftMs));
      }
    }
  });
}

/** A service that has much to do is not asked ever more often: no attempt is shorter than the one before. */
function attemptMsOf(attempt: number, { attemptMs, isQuick }: RequestBudget = {}): number {
  const longestMs = attemptMs ?? usualAttemptMs;
  return isQuick === true ? Math.min(quickAttemptMs * 2 ** attempt, longestMs) : longestMs;
}

function leastMs(attempt: number): number {
  return attempt === 0 ? 1 : leastRetryMs;
}

/** Whether waiting on is worse for everybody than telling the caller now. */
function isHopeless(miss: Miss, options: RequestBudget | undefined, tookMs: number): boolean {
  if (options?.isPatient === true) return false;
  return miss === 'overloaded' || (miss === 'no-store' && tookMs > storePatienceMs);
}

type Answer = Exclude<WireReply, { kind: 'moved' }>;

/** Answers of an owner that decided nothing. */
const missByCode: Readonly<Partial<Record<string, Miss>>> = {
  OVERLOADED: 'overloaded',
  STORE_UNAVAILABLE: 'no-store',
};

async function ask(
  inbox: Inbox,
  subject: string,
  message: {
    readonly payload: Uint8Array;
    readonly headers: MsgHdrs;
    readonly timeoutMs: number;
  },
): Promise<Answer | Miss> {
  const heard = await inbox.ask({ subject, ...message });
  if (typeof heard === 'string') return heard;
  const reply = readReply(heard);
  if (reply.kind === 'moved') return 'moved';
  return reply.kind === 'fault' ? (missByCode[reply.code] ?? reply) : reply;
}

function bodyOf(reply: Answer): unknown {
  if (reply.kind === 'ok') return reply.body;
  throw refusedBy(reply);
}

/** Once an attempt stayed without an answer, nothing later can tell that it had no effect. */
function gaveUp(misses: ReadonlySet<Miss>): Fault {
  if (misses.has('silent')) {
    return refusal('OUTCOME_UNKNOWN', { extras: retryAfter() });
  }
  if (misses.has('no-store')) {
    return refusal('STORE_UNAVAILABLE', { extras: retryAfter() });
  }
  if (misses.has('overloaded')) {
    return refusal('OVERLOADED', { extras: retryAfter() });
  }
  return refusal('OWNER_UNAVAILABLE', { extras: retryAfter() });
}

function payloadOf({ body }: OutgoingCommand): Uint8Array {
  const payload = encodeJson(body);
  if (payload.length <= payloadBytesMax) return payload;
  throw refusal('BODY_TOO_LARGE', {
    says: `At most ${payloadBytesMax} bytes may be kept at once.`,
  });
}

/** One to three seconds, spread so that callers do not come back together. */
function retryAfter(): Record<string, unknown> {
  return { retry_after_seconds: 1 + Math.floor(chance() * 3) };
}
