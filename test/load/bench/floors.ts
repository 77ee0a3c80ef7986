import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sr25519Verify } from '@polkadot/wasm-crypto';
import { connect } from 'nats';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { probeFsync } from '../fsync-probe.ts';
import type { Asker } from './asking.ts';
import { startPartner } from './partner-process.ts';
import type { PlainServerPlan } from './plain-server.ts';

/** What the machine can do at all, now. */
export interface Floors {
  readonly wasmVerifies: number;
  readonly ed25519Verifies: number;
  readonly nodeHttp: number;
  readonly expressEcho: number;
  readonly natsRoundTrips: number;
  readonly selects: number;
  readonly copiedRows: number;
  readonly fsyncP50Ms: number;
  readonly fsyncP99Ms: number;
  /** What the generator could ask for if it were never kept waiting. */
  readonly generatorMax: number;
}

export const floorNames: Readonly<Record<keyof Floors, string>> = {
  wasmVerifies: 'wasm-crypto sr25519 checks, one core, a second',
  ed25519Verifies: 'OpenSSL ed25519 checks, one core, a second',
  nodeHttp: 'bare node:http, requests a second',
  expressEcho: 'plain Express, requests a second',
  natsRoundTrips: 'NATS request-reply, 64 in flight, a second',
  selects: '`select 1`, one after the other, a second',
  copiedRows: 'COPY of result rows, one connection, a second',
  fsyncP50Ms: 'fdatasync of 8 kB, p50, ms',
  fsyncP99Ms: 'fdatasync of 8 kB, p99, ms',
  generatorMax: 'load generator, its own ceiling, requests a second',
};

export interface FloorPlaces {
  readonly sql: Sql;
  readonly natsUrl: string;
  readonly folder: string;
  readonly asker: Asker;
}

export async function measureFloors(places: FloorPlaces, seconds: number): Promise<Floors> {
  const http = await askPlain(places.asker, 'node:http', seconds);
  const echo = await askPlain(places.asker, 'express', seconds);
  const fsync = await probeFsync(places.folder);
  return {
    wasmVerifies: repeated(seconds, wasmCheck()),
    ed25519Verifies: repeated(seconds, ed25519Check()),
    nodeHttp: http.perSecond,
    expressEcho: echo.perSecond,
    natsRoundTrips: await natsRoundTrips(places.natsUrl, seconds),
    selects: await repeatedAsync(seconds, () => places.sql`select 1`),
    copiedRows: await copiedRows(places.sql),
    fsyncP50Ms: fsync.p50Ms,
    fsyncP99Ms: fsync.p99Ms,
    generatorMax: 1e6 / http.generatorUs,
  };
}

async function askPlain(asker: Asker, kind: PlainServerPlan['kind'], seconds: number) {
  const plan: PlainServerPlan = { kind, body: '{"status":"ok"}' };
  await using server = await startPartner<never, never, string>('plain-server.ts', plan);
  const asking = {
    baseUrls: [server.ready],
    questions: [{ method: 'GET', path: '/' }],
    connections: 32,
  };
  await asker.ask({ ...asking, seconds: 0.2 });
  const asked = await asker.ask({ ...asking, seconds });
  return { perSecond: asked.count / asked.seconds, generatorUs: asked.cpuUs / asked.count };
}

/** Calls a second, by the clock. */
function repeated(seconds: number, work: () => unknown): number {
  const startedMs = performance.now();
  let count = 0;
  for (; performance.now() < startedMs + seconds * 1000; count += 16) {
    for (let call = 0; call < 16; call += 1) work();
  }
  return (count * 1000) / (performance.now() - startedMs);
}

async function repeatedAsync(seconds: number, work: () => PromiseLike<unknown>): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  for (; performance.now() < startedMs + seconds * 1000; count += 1) await work();
  return (count * 1000) / (performance.now() - startedMs);
}

export const checkedMessage = Buffer.from(
  'a message as long as that which a validator signs, no less',
);

export function wasmCheck(): () => boolean {
  const { publicKey, sign: signed } = participantKeypair(1, 'validator', 0);
  const signature = signed(checkedMessage);
  return () => sr25519Verify(signature, checkedMessage, publicKey);
}

export function ed25519Check(): () => boolean {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, checkedMessage, privateKey);
  return () => verify(null, checkedMessage, publicKey, signature);
}

const inFlight = 64;

async function natsRoundTrips(url: string, seconds: number): Promise<number> {
  const options = { servers: [url], noAsyncTraces: true };
  const [asking, answering] = await Promise.all([connect(options), connect(options)]);
  const subject = 'bench.echo';
  answering.subscribe(subject, { callback: (_error, message) => void message.respond() });
  await answering.flush();
  const startedMs = performance.now();
  let count = 0;
  const lane = async () => {
    while (performance.now() < startedMs + seconds * 1000) {
      await asking.request(subject, '', { timeout: 10_000 });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const perSecond = (count * 1000) / (performance.now() - startedMs);
  await Promise.all([asking.close(), answering.close()]);
  return perSecond;
}

const copied = 20_000;

async function copiedRows(sql: Sql): Promise<number> {
  await sql`
    create table if not exists bench_copied
    (run uuid, task text, outcome text, reward numeric, hash bytea, at timestamptz,
     primary key (run, task))`;
  await sql`truncate bench_copied`;
  const run = '0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
  const rows = Array.from({ length: copied }, (_, index) => {
    const hash = createHash('sha256').update(String(index)).digest('hex');
    return `${run}\ttask-${index}\tcompleted\t0.5\t\\\\x${hash}\t2026-01-01T00:00:00Z\n`;
  });
  const startedMs = performance.now();
  const into = await sql`copy bench_copied from stdin`.writable();
  await pipeline(Readable.from([rows.join('')]), into);
  const perSecond = (copied * 1000) / (performance.now() - startedMs);
  await sql`drop table bench_copied`;
  return perSecond;
}
