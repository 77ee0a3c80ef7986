import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

// Below what systems lend to outgoing connections (Linux from 32768, others from 49152): a server
// that dies and comes back must find its port again, and no client's connection may have it then.
const lowest = 20_000;
const highest = 32_767;
const triesMax = 50;

/** A loopback port that was free a moment ago; another server may still take it first. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = await bound(randomInt(lowest, highest + 1));
    if (port !== undefined) return port;
  }
  const lent = await bound(0);
  if (lent === undefined) throw new Error('no port of the loopback address is free');
  return lent;
}

async function bound(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    // Every address, for that is what edges listen on.
    server.listen(wanted, '0.0.0.0');
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
