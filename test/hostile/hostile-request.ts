import { Dice } from '../fuzz/dice.ts';

/**
 * How a request travels: `kept` ones share connections and follow each other without waiting; one
 * that may break its connection goes `alone`; `costly` ones are few at a time; `objects` go to the
 * object store; `slow` ones hold a connection and never end.
 */
export type Lane = 'kept' | 'alone' | 'costly' | 'objects' | 'slow';

export interface HostileRequest {
  readonly bytes: Buffer;
  readonly lane: Lane;
  /** The statuses that it may get; 0 stands for a connection that ends without an answer. */
  readonly expected: readonly number[];
  /** Of a 2xx among those: whether its body refuses. */
  readonly refuses?: (body: string) => boolean;
}

export interface Category {
  readonly name: string;
  /** How many of 10,000 requests. */
  readonly share: number;
  make(dice: Dice): HostileRequest;
}

export interface Said {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its length. */
  readonly body?: string | Buffer;
}

/** The bytes of a well-formed request, from an address of its own behind the trusted proxy. */
export function bytesOf({ method, target, headers = {}, body }: Said, address: string): Buffer {
  let head = `${method} ${target} HTTP/1.1\r\nHost: paddock\r\nX-Forwarded-For: ${address}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`, 'latin1');
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([
    Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1'),
    bytes,
  ]);
}

/** One of 16 million, so that no limit by address stands before the checks that are meant. */
export function anyAddress(dice: Dice): string {
  const bits = dice.whole(0, 0xff_ffff);
  return `10.${bits >> 16}.${(bits >> 8) & 255}.${bits & 255}`;
}

/** The usual one: over a shared connection. */
export function kept(dice: Dice, said: Said, expected: readonly number[]): HostileRequest {
  return { bytes: bytesOf(said, anyAddress(dice)), lane: 'kept', expected };
}

const digits = new Dice(1).hex(65_536);

/** Digits from anywhere in a fixed text: `dice.hex` throws once for each, which takes its time. */
export function someHex(dice: Dice, count: number): string {
  const at = dice.whole(0, digits.length - count);
  return digits.slice(at, at + count);
}

export const jsonType = { 'Content-Type': 'application/json' } as const;
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
