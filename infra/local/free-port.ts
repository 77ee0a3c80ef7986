import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock/system-clock.ts';

// Below what systems lend to outgoing connections (Linux from 32768, others from 49152): a server
// that dies and comes back must find its port again, and no client's connection may have it then.
const lowest = 20_000;
const highest = 32_767;
const triesMax = 50;
/** Whoever was given a port listens on it by then, or never will. */
const givenMs = 120_000;

const draw = () => randomInt(lowest, highest + 1);

/**
 * A port that was free a moment ago, on every address, for that is what edges listen on, and that was not
 * given to anybody else of this machine's user within two minutes: a server takes seconds to start, and
 * two that were told the same port answer for each other. Other programs may still take it first. `next`
 * proposes.
 */
export async function freePort(next: () => number = draw): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = next();
    if ((await isFree(port)) && (await isGiven(port))) return port;
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

/** To us. A file that nobody else made at the same time says so to all processes. */
async function isGiven(port: number): Promise<boolean> {
  const folder = join(tmpdir(), `paddock-ports-${userInfo().uid}`);
  const file = join(folder, String(port));
  await mkdir(folder, { recursive: true });
  try {
    const made = await stat(file);
    if (systemClock.nowMs() - made.mtimeMs < givenMs) return false;
    await rm(file, { force: true });
  } catch {
    // Nobody was given it yet.
  }
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch {
    return false;
  }
}
