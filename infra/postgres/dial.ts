import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NotConnected } from './not-connected.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Encryption {
  /** `sslmode` of the URL. Only some of them look at the certificate, as in the client library. */
  readonly mode: string;
  /** TLS from the first byte, without asking whether the server has it. */
  readonly isDirect: boolean;
}

/** What `sslmode` may say that believes any certificate. */
const credulous = new Set(['allow', 'prefer', 'require']);

/** What leaves a statement in doubt on a line that stands, and no doubt on one that does not yet. */
const cutOff = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** SSLRequest: its length, and a number that is no version of the protocol. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * A line to the server, encrypted already where that is asked for. The client library (3.4.9) takes
 * all listeners off a socket that it encrypts itself, so that nobody would watch over it.
 */
export async function dial(
  address: Address,
  encryption: Encryption | undefined,
  silenceMs: number,
): Promise<Socket> {
  const socket = connect(address.port, address.host);
  const giveUp = () => socket.destroy(new NotConnected(`${nameOf(address)} says nothing`));
  // For good: a socket under TLS has nobody else to hear of its failure.
  socket.on('error', () => undefined);
  socket.setTimeout(silenceMs, giveUp);
  try {
    await heard(socket, 'connect');
    const line = encryption === undefined ? socket : await encrypted(socket, address, encryption);
    socket.setTimeout(0, giveUp);
    return line;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function encrypted(
  socket: Socket,
  address: Address,
  { mode, isDirect }: Encryption,
): Promise<Socket> {
  if (!isDirect) {
    socket.write(sslRequest);
    const answer = String(await heard(socket, 'data'));
    if (answer === 'N' && mode === 'prefer') return socket;
    // More than the one letter would be words of a stranger, put before the server's own.
    if (answer !== 'S') throw new NotConnected(`${nameOf(address)} does not offer TLS`);
  }
  const line = connectTls({
    socket,
    // Only for the certificate, which may name an address too; as a server's name it may not be sent.
    host: address.host,
    ...(isIP(address.host) === 0 && { servername: address.host }),
    ...(isDirect && { ALPNProtocols: ['postgresql'] }),
    rejectUnauthorized: !credulous.has(mode),
  });
  await heard(line, 'secureConnect');
  return line;
}

/** What comes with the event; fails when the socket fails or ends before it. */
async function heard(socket: Socket, event: string): Promise<unknown> {
  const ended = new AbortController();
  const end = () => ended.abort();
  socket.once('close', end);
  try {
    const [told] = await once(socket, event, { signal: ended.signal });
    return told;
  } catch (cause) {
    const isCut = ended.signal.aborted || cutOff.has(codeOf(cause));
    throw isCut ? new NotConnected('the server hung up', { cause }) : cause;
  } finally {
    socket.off('close', end);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
