import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';

export interface NatsOptions {
  /** `nats://user:password@host:port`, one for each node, by commas; the first one's user counts, and one
   * that begins with tls:// asks for TLS of all. */
  readonly url: string;
  /** The member's id, as the broker's monitoring shows it. */
  readonly name: string;
  /** Replies arrive below it; the edge's rights name its own. */
  readonly inboxPrefix?: string;
  /** Where it is said, and when, that no broker has answered yet. */
  readonly waiting?: { readonly clock: Clock; readonly log: Logger };
}

/** Older servers ignore stream settings that they do not know, or lose what they acknowledged. */
const oldestVersion = [2, 12] as const;

export const pingIntervalMs = 5_000;
export const pingsOutMax = 2;
const sayWaitingEveryMs = 5_000;

/**
 * Connects and stays connected: the client's own settings notice a dead broker after minutes, and
 * give up for ever after ten tries or two refused logins. A login that is refused at the start is an
 * error of whoever wrote it, and thrown; one that was taken before is refused by a broker that is
 * being changed or overloaded.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const settings = settingsOf(options);
  const stopSaying = sayWaiting(options);
  const trial = await refusePlain(settings)
    .then(() => connect(settings))
    .finally(stopSaying);
  await trial.close();
  const connection = await connect({ ...settings, ignoreAuthErrorAbort: true });
  void leaveWhenStale(connection);
  const version = connection.info?.version ?? '0.0.0';
  if (!isRecent(version)) {
    await connection.close();
    throw new Error(`nats-server ${version} is older than ${oldestVersion.join('.')}`);
  }
  return connection;
}

/** A mistyped address waits like a broker that is away, and somebody has to notice. Answers how to stop. */
function sayWaiting({ url, waiting }: NatsOptions): () => void {
  if (waiting === undefined) return () => undefined;
  const { clock, log } = waiting;
  const servers = addressed(url).servers.join();
  return clock.every(sayWaitingEveryMs, () => {
    log.warn('no broker answers, and nothing can be served without one; it is tried again', {
      servers,
    });
  });
}

interface WithSocket {
  readonly protocol?: { readonly transport?: { readonly socket?: { destroy(): void } } };
}

/**
 * A client that has found its broker silent flushes what it has queued before it leaves, and behind a
 * full send buffer that takes until the kernel gives up: minutes, or for ever where the broker's kernel
 * lives. Whatever is queued there would be repeated anyway; without its socket the client leaves at once.
 */
export async function leaveWhenStale(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) {
    // Of the library's inside, which a test watches: it offers no other way.
    if (type === 'staleConnection')
      (connection as WithSocket).protocol?.transport?.socket?.destroy();
  }
}

function settingsOf(options: NatsOptions): ConnectionOptions {
  return {
    ...addressed(options.url),
    ...encrypted(options.url),
    name: options.name,
    inboxPrefix: options.inboxPrefix ?? '_INBOX',
    pingInterval: pingIntervalMs,
    maxPingOut: pingsOutMax,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    waitOnFirstConnect: true,
    timeout: 2_000,
    // A stack for every request costs more than the request.
    noAsyncTraces: true,
  };
}

/**
 * Resolves when the client has closed the connection for good, whatever the reason was, and never
 * when we did: a process without a broker serves nobody, and is to be started anew.
 */
export function untilGivenUp(connection: NatsConnection, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    void connection.closed().then((reason) => {
      if (!(reason instanceof Error)) return;
      log.error('the connection to the broker is closed for good', { error: reason });
      resolve();
    });
  });
}

/**
 * Says goodbye as far as the broker is there to hear it. A client that is not closed as well would
 * look for its broker for ever, and keep the process.
 */
export async function closeNats(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  await connection.drain().catch(() => undefined);
  await connection.close();
}

/** The client takes user and password as options and would send those of a URL nowhere. */
function addressed(url: string): { servers: string[]; user?: string; pass?: string } {
  const urls = url.split(',').map((each) => new URL(each.trim()));
  const servers = urls.map(({ protocol, host }) => `${protocol}//${host}`);
  const [first] = urls;
  if (first === undefined || first.username === '') return { servers };
  const user = decodeURIComponent(first.username);
  return { servers, user, pass: decodeURIComponent(first.password) };
}

/** By itself the client takes no notice of the scheme, and sends its password to whoever offers no TLS. */
function encrypted(url: string): Pick<ConnectionOptions, 'tls'> {
  return /(^|,)\s*tls:/i.test(url) ? { tls: {} } : {};
}

/** The client would try for ever; one that is away is waited for, as always. */
async function refusePlain(settings: ConnectionOptions): Promise<void> {
  if (settings.tls === undefined) return;
  const once = { waitOnFirstConnect: false, reconnect: false };
  try {
    await (await connect({ ...settings, ...once })).close();
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("does not support 'tls'"))) return;
    throw new Error('the broker offers no TLS, and NATS_URL asks for it by tls://', {
      cause: error,
    });
  }
}

export function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}
