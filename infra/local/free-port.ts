import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below what systems lend to outgoing connections (Linux from 32768, others from 49152): a server
// that dies and comes back must find its port again, and no client's connection may have it then.
const lowest = 20_000;
const highest = 32_767;
const triesMax = 50;

const draw = () => randomInt(lowest, highest + 1);

/**
 * A port that was free a moment ago, on every address, for that is what edges listen on; another server
 * may still take it first. `next` proposes.
 */
export async function freePort(next: () => number = draw): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = next();
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${triesMax} ports was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '0.0.0.0');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
