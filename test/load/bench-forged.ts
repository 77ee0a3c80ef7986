/**
 * `npm run bench:forged`: what honest validators feel of forged requests. Two edges as processes of
 * their own; heartbeats in open loop, alone and under a flood from one address and from many, in
 * turns, so that what the machine does otherwise falls on all alike. Ends with code 1 when a flood
 * lifts an honest p99 over twice its normal, when an honest request is refused, or a forged one is not.
 */
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';
import { benchForgedCommand } from '../commands/bench-commands.ts';
import { lineOf } from '../commands/command-line.ts';
import { inParallel } from '../support/in-parallel.ts';
import { agentCode } from '../support/lifecycle-load.ts';
import { clientOf, openSuite, registerKeys, startServiceWorld } from '../support/service-world.ts';
import { type Flood, type FloodResult, startForger } from './flood.ts';
import { HttpConnection } from './http-connection.ts';
import { startGenerator } from './load-generator.ts';
import { percentile } from './percentile.ts';
import { treeCpuUs } from './process-cpu.ts';
import type { Auth } from './stage.ts';
import { credentials } from './validator-crowd.ts';

const values = lineOf(benchForgedCommand);
const { validators, seconds } = values;
const runsPerValidator = 2;
const requiredSuccesses = 5;
const ratioMax = 2;
const warmUpSeconds = 10;
const seed = 1;
const say = (text: string) => console.log(text);

const floods = [undefined, 'one', 'many'] as const;
const auths: readonly Auth[] = ['session', 'signed'];

/** Of one kind of proof under one kind of flood. */
interface Felt {
  readonly auth: Auth;
  readonly flood: Flood['addresses'] | undefined;
  readonly latenciesMs: number[];
  /** Of each round. */
  readonly p99sMs: number[];
  /** The worst round's. */
  lateP99Ms: number;
  readonly errors: Record<string, number>;
}

await using world = await startServiceWorld({
  edges: values.edges,
  coordinators: 1,
  env: {
    MAX_CONCURRENT_RUNS: String(runsPerValidator),
    LEASE_SECONDS: '600',
    TRUSTED_PROXIES: '127.0.0.1',
    // As in production: everybody here has an address.
    CHALLENGE_RATE_PER_MINUTE: '10',
    SESSION_RATE_PER_MINUTE: '5',
    PUBLIC_RATE_PER_MINUTE: '100',
    HOTKEY_RATE_PER_MINUTE: '600',
    FALSE_PROOFS_PER_SECOND: '50',
  },
});
const suite = await openSuite(world, { taskCount: 2, requiredSuccesses });
// They share this process's address, and so its sessions a minute.
const miners = await registerKeys(world, 'miner', { count: 4, seed });
const keypairs = await registerKeys(world, 'validator', { count: validators, seed });
await submit(Math.ceil((validators * runsPerValidator) / requiredSuccesses) + runsPerValidator);
await using generator = await startGenerator({
  ...{ baseUrls: world.service.baseUrls, validators, seed, runsPerValidator, ...suite },
  isProxied: true,
});
await generator.perform({ name: 'claims', auth: 'session', connections: 16 });
await generator.perform({ name: 'first heartbeats', auth: 'session', connections: 16 });
await using forger = await startForger({
  baseUrls: world.service.baseUrls,
  hotkeys: keypairs.map(({ publicKey }) => encodeHotkey(publicKey)),
  heard: await overheard(),
});

const felt = auths.flatMap((auth) =>
  floods.map(
    (flood): Felt => ({
      ...{ auth, flood, latenciesMs: [], p99sMs: [], lateP99Ms: 0, errors: {} },
    }),
  ),
);
const results = new Map<string, FloodResult[]>();
const edgeCpu: Record<string, number> = {};
// Once for nothing: code is compiled, also what only a forgery runs through, and caches are filled.
for (const auth of auths) {
  forger.flood({ rate: values.forged, addresses: 'many' });
  await beat(auth, warmUpSeconds);
  await forger.stop();
}
for (let round = 0; round < values.rounds; round += 1) {
  for (const each of felt) await measure(each);
}
await report();

async function beat(auth: Auth, forSeconds: number) {
  const rate = values.honest;
  return await generator.perform({
    ...{ name: 'heartbeats', auth, rate, seconds: forSeconds, connections: 64 },
  });
}

async function measure(each: Felt): Promise<void> {
  const { auth, flood, latenciesMs, p99sMs, errors } = each;
  if (flood !== undefined) forger.flood({ rate: values.forged, addresses: flood });
  const before = edgesUs();
  const result = await beat(auth, seconds);
  const name = flood ?? 'none';
  edgeCpu[name] = (edgeCpu[name] ?? 0) + (edgesUs() - before);
  latenciesMs.push(...result.latenciesMs);
  p99sMs.push(percentile(Float64Array.from(result.latenciesMs).sort(), 0.99));
  each.lateP99Ms = Math.max(each.lateP99Ms, result.lateP99Ms ?? 0);
  for (const [what, count] of Object.entries(result.errors)) {
    errors[what] = (errors[what] ?? 0) + count;
  }
  if (flood === undefined) return;
  results.set(flood, [...(results.get(flood) ?? []), await forger.stop()]);
}

function edgesUs(): number {
  return world.service.edges.reduce((sum, { pid }) => sum + (treeCpuUs(pid ?? 0) ?? 0), 0);
}

/** Headers of requests that were accepted, for the forger to send again. */
async function overheard(): Promise<string[]> {
  const connection = new HttpConnection(world.service.baseUrls[0] ?? '');
  const heads: string[] = [];
  for (const keypair of keypairs.slice(0, 20)) {
    const member = { hotkey: encodeHotkey(keypair.publicKey), keypair, from: '', bearer: '' };
    const head = credentials(member, 'signed');
    const { status, body } = await connection.send('POST', '/v1/validator/work/claim', {
      head: `x-forwarded-for: 198.19.0.1\r\n${head}`,
      body: '{}',
    });
    if (status >= 500) throw new Error(`a request to overhear was answered ${status}: ${body}`);
    heads.push(head);
  }
  connection.close();
  return heads;
}

async function submit(count: number): Promise<void> {
  const clients = miners.map((keypair) => clientOf(world, keypair));
  await inParallel(4, Array.from({ length: count }), async (_, index) => {
    const client = clients[index % clients.length];
    if (client === undefined) throw new Error('there are no miners');
    const miner = { who: client.hotkey, client, onEvent: () => undefined };
    const file = { agentName: `agent-${index}`, code: agentCode(index) };
    if ((await submitAgent(miner, file)) === undefined) throw new Error('a submission was refused');
  });
}

async function report(): Promise<void> {
  const rows = felt.map((each) => {
    const ascending = Float64Array.from(each.latenciesMs).sort();
    const [p50Ms, p99Ms] = [percentile(ascending, 0.5), percentile(ascending, 0.99)];
    const normal = felt.find(({ auth, flood }) => auth === each.auth && flood === undefined);
    // Each round against its own: a hiccup of the machine spoils one of them.
    const ratios = each.p99sMs.map((ms, round) => ms / (normal?.p99sMs[round] ?? Number.NaN));
    const ratio = percentile(Float64Array.from(ratios).sort(), 0.5);
    return {
      ...each,
      latenciesMs: undefined,
      count: ascending.length,
      p50Ms,
      p99Ms,
      ratios,
      ratio,
    };
  });
  let isFine = true;
  say(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}; ${values.edges} edges`,
  );
  for (const { auth, flood, count, p50Ms, p99Ms, ratios, ratio, lateP99Ms, errors } of rows) {
    const refused = Object.keys(errors).length > 0 ? `  REFUSED ${JSON.stringify(errors)}` : '';
    isFine &&= ratio <= ratioMax && refused === '';
    say(
      `${auth.padEnd(8)} ${(flood === undefined ? 'alone' : `flood from ${flood}`).padEnd(16)}` +
        ` n ${count}  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms` +
        `  ${ratio.toFixed(2)} x normal (${ratios.map((each) => each.toFixed(2)).join(' ')})  generator late ${lateP99Ms.toFixed(2)} ms (p99)${refused}`,
    );
  }
  for (const [from, all] of results) {
    const answers: Record<string, number> = {};
    for (const result of all) {
      for (const [what, count] of Object.entries(result.answers)) {
        answers[what] = (answers[what] ?? 0) + count;
      }
    }
    const perSecond = all.reduce((sum, { sent, seconds: took }) => sum + sent / took, 0);
    say(`forged from ${from}: ${Math.round(perSecond / all.length)} a second`);
    for (const [what, count] of Object.entries(answers)) say(`  ${count} x ${what}`);
    // A challenge may be had by anybody; nothing else is anybody's.
    isFine &&= Object.keys(answers).every((what) =>
      /^4\d\d |^200 $|^503 OVERLOADED|^not sent/.test(what),
    );
  }
  const coreSeconds = Object.entries(edgeCpu).map(([name, us]) => {
    const share = us / 1e6 / (seconds * values.rounds * auths.length);
    return `${name} ${share.toFixed(2)}`;
  });
  say(`cores used by the edges: ${coreSeconds.join(', ')}`);
  if (values.json !== undefined) {
    const all = { options: values, rows, floods: Object.fromEntries(results) };
    await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  }
  say(isFine ? 'Honest callers felt at most twice their normal p99.' : 'NOT FINE.');
  process.exitCode = isFine ? 0 : 1;
}
