import { headers, type Msg, type MsgHdrs } from 'nats';
import type { IncomingCommand, OutgoingCommand, WireReply } from '../ports/bus.ts';

/** What travels: bodies as JSON, everything about them as headers. */
export function commandHeaders(
  command: OutgoingCommand,
  { budgetMs, deadlineMs }: { readonly budgetMs: number; readonly deadlineMs: number },
  others: Readonly<Record<string, string>>,
): MsgHdrs {
  const h = new PlainHeaders({
    ...others,
    'x-cmd-id': command.id,
    'x-cmd-type': command.type,
    'x-account': encodeURIComponent(command.account),
    'x-budget': String(Math.ceil(budgetMs)),
    // What coordinators of the version before read, against their own clocks.
    'x-deadline': String(Math.round(deadlineMs)),
  });
  // Sound for what becomes of them: the client encodes them, and nobody asks for more.
  return h as unknown as MsgHdrs;
}

/** Written once and read once; the client's own look through all their names at each word. */
class PlainHeaders {
  readonly #record: Readonly<Record<string, string>>;

  constructor(record: Readonly<Record<string, string>>) {
    this.#record = record;
  }

  *[Symbol.iterator](): Iterator<[string, string[]]> {
    for (const [name, value] of Object.entries(this.#record)) yield [name, [value]];
  }

  encode(): Uint8Array {
    let text = 'NATS/1.0\r\n';
    for (const name in this.#record) text += `${name}: ${lineOf(this.#record[name] ?? '')}\r\n`;
    return Buffer.from(`${text}\r\n`);
  }
}

/** Whatever it holds, it is one header. */
function lineOf(value: string): string {
  return /[\r\n]/.test(value) ? value.replaceAll(/[\r\n]/g, ' ') : value;
}

export function headersOf(record: Readonly<Record<string, string>>): MsgHdrs {
  const h = headers();
  for (const [key, value] of Object.entries(record)) h.set(key, value);
  return h;
}

export function recordOf(found: MsgHdrs | undefined): Record<string, string> {
  const record: Record<string, string> = {};
  if (found === undefined) return record;
  for (const [key, values] of found) record[key] = values[0] ?? '';
  return record;
}

/** Undefined when it is not one of ours. */
export function readCommand(message: Msg): IncomingCommand | undefined {
  // Each look for a name by the client goes through all of them.
  const h = recordOf(message.headers);
  const { 'x-cmd-id': id = '', 'x-cmd-type': type = '', 'x-account': name = '' } = h;
  if (id === '' || type === '') return undefined;
  const body = readJson(message);
  const account = decoded(name);
  if (body === undefined || account === undefined) return undefined;
  const budgetMs = Number(h['x-budget'] ?? 0);
  return {
    id,
    type,
    body,
    account,
    trace: traceOf(h),
    ...(h['x-genesis'] !== undefined && { genesis: h['x-genesis'] }),
    ...(budgetMs > 0 ? { budgetMs } : {}),
  };
}

/** Nothing may throw here: the client library stops reading for good when a subscriber throws. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function traceOf({ traceparent, tracestate }: Readonly<Record<string, string>>) {
  return {
    ...(traceparent !== undefined && traceparent !== '' && { traceparent }),
    ...(tracestate !== undefined && tracestate !== '' && { tracestate }),
  };
}

/** Undefined when the bytes are no JSON. */
export function readJson(message: Pick<Msg, 'json'>): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

/** Small ones share a piece of memory, each of which costs the collector more than what it holds. */
export function encodeJson(body: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(body ?? null));
}

export function readReply(message: Msg): WireReply {
  const reply = readJson(message) as WireReply | undefined;
  if (reply?.kind === 'ok' || reply?.kind === 'fault' || reply?.kind === 'moved') return reply;
  throw new Error(`not a reply: ${message.string().slice(0, 200)}`);
}
