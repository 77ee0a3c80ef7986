import { headers, type Msg, type MsgHdrs } from 'nats';
import { type FaultCode, faultCodes } from '../../machines/fault.ts';
import type { IncomingCommand, OutgoingCommand, WireReply } from '../ports/bus.ts';

/** What travels: bodies as JSON, everything about them as headers. */
export function commandHeaders(
  command: OutgoingCommand,
  { budgetMs, deadlineMs }: { readonly budgetMs: number; readonly deadlineMs: number },
  trace: Readonly<Record<string, string>>,
): MsgHdrs {
  const h = headersOf(trace);
  h.set('x-cmd-id', command.id);
  h.set('x-cmd-type', command.type);
  h.set('x-account', encodeURIComponent(command.account));
  h.set('x-budget', String(Math.ceil(budgetMs)));
  // What coordinators of the version before read, against their own clocks.
  h.set('x-deadline', String(Math.round(deadlineMs)));
  return h;
}

export function headersOf(record: Readonly<Record<string, string>>): MsgHdrs {
  const h = headers();
  for (const [key, value] of Object.entries(record)) h.set(key, value);
  return h;
}

export function recordOf(found: MsgHdrs | undefined): Record<string, string> {
  return Object.fromEntries([...(found ?? [])].map(([key, values]) => [key, values[0] ?? '']));
}

/** Undefined when it is not one of ours. */
export function readCommand(message: Msg): IncomingCommand | undefined {
  const h = message.headers;
  const id = h?.get('x-cmd-id') ?? '';
  const type = h?.get('x-cmd-type') ?? '';
  if (h === undefined || id === '' || type === '') return undefined;
  const body = readJson(message);
  const account = decoded(h.get('x-account'));
  if (body === undefined || account === undefined) return undefined;
  const budgetMs = Number(h.get('x-budget'));
  return {
    id,
    type,
    body,
    account,
    trace: traceOf(h),
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

function traceOf(h: MsgHdrs): Record<string, string> {
  const found = ['traceparent', 'tracestate'].map((key) => [key, h.get(key)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

/** Undefined when the bytes are no JSON. */
export function readJson(message: Pick<Msg, 'json'>): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

export function encodeJson(body: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(body ?? null));
}

export function readReply(message: Msg): WireReply {
  const reply = readJson(message) as WireReply | undefined;
  if (reply?.kind === 'ok' || reply?.kind === 'fault' || reply?.kind === 'moved') return reply;
  throw new Error(`not a reply: ${message.string().slice(0, 200)}`);
}

export function isFaultCode(code: string): code is FaultCode {
  return (faultCodes as readonly string[]).includes(code);
}
