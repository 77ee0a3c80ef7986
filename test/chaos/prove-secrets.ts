/**
 * `npm run proof:secrets`: plants a thousand secrets in a service that runs as processes, by every way
 * in, while providers fail and processes are killed; then looks for each of them, in every spelling, in
 * every byte that lies on disk or was told: database with its log, broker, object store, logs, spans,
 * metrics, answers, crash reports. Ends with code 1 when one is found, and when a leak that it plants
 * itself is not.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sealedPlaces } from '../../apps/coordinator/sealed-places.ts';
import { worldSecrets } from '../../apps/world/secrets.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import { freePort } from '../../infra/local/free-port.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { lineOf } from '../commands/command-line.ts';
import { proofSecretsCommand } from '../commands/proof-commands.ts';
import { worldDoor } from '../hostile/world-door.ts';
import { seededChoice, signalProcess } from '../support/coordinator-faults.ts';
import { sendSubmission } from '../support/evaluation-client.ts';
import { dumpDatabase } from '../support/secrets/dump-database.ts';
import { blindSpots, leakKind, plantLeaks } from '../support/secrets/plant-leaks.ts';
import { oddSecret, Planting } from '../support/secrets/planting.ts';
import { plantRuns, plantSecrets } from '../support/secrets/ploys.ts';
import { type Leak, SecretScanner } from '../support/secrets/secret-scanner.ts';
import { type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

const values = lineOf(proofSecretsCommand);
const startedAtMs = Date.now();
const say = (text: string) => console.log(text);
const choose = seededChoice(values.seed);
const heard: string[] = [];
const planting = new Planting((text) => heard.push(text));

await using collector = await startCollector();
const metricsPort = await freePort();
const reportFolder = await mkdtemp(join(tmpdir(), 'paddock-reports-'));
await using world = await startServiceWorld({
  edges: 2,
  coordinators: 2,
  env: {
    LOG_LEVEL: 'debug',
    METRICS_PORT: String(metricsPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    INFERENCE_BREAKER_SECONDS: '1',
    // Whoever looks into a crash turns these on.
    NODE_OPTIONS: `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${reportFolder}`,
  },
});
process.exitCode = (await prove(world)) ? 0 : 1;
await rm(reportFolder, { recursive: true, force: true });

async function prove(running: ServiceWorld): Promise<boolean> {
  const door = await worldDoor(running);
  planting.known('operator token', door.operatorToken);
  const { packSha256 } = await openTrialSuite(door, { requiredSuccesses: 1 });
  if (packSha256 === null) throw new Error('the suite has no pack');
  const miners = await Promise.all(Array.from({ length: 6 }, (_, each) => door.miner(`m${each}`)));
  const submit = (miner: Parameters<typeof sendSubmission>[0]) => sendSubmission(miner);
  const runs = await plantRuns({ door, planting }, { count: values.runs, packSha256, submit });
  const trouble = (kind: 'cut' | 'status' | undefined) => tellProviders(running, kind);
  let kills = 0;
  let nextKill = values['kill-every'];
  await plantSecrets({ door, miners, runs, trouble, planting }, values.secrets, async (planted) => {
    if (planted < nextKill) return;
    nextKill += values['kill-every'];
    kills += 1;
    const all = [...running.service.edges, ...running.service.coordinators];
    const victim = all[choose(all.length)];
    if (victim !== undefined) signalProcess(victim, 'SIGKILL');
    await untilHealthy(door.baseUrls);
  });
  await addLentKeys(running.sql, running.dataDir);
  const reports = await askForReports(running);
  const told = [...planting.answers].sort().map(([status, count]) => `${count} × ${status}`);
  say(
    `${planting.canaries.length} secrets planted in ${told.join(', ')}; ${kills} processes killed`,
  );
  await systemClock.sleep(1500);
  await keepEvidence(running);
  return await search(running, { reports });
}

async function search(
  running: ServiceWorld,
  { reports }: { readonly reports: number },
): Promise<boolean> {
  const { dataDir } = running;
  const secret = oddSecret();
  await plantLeaks(running, secret);
  const scanner = new SecretScanner([...planting.canaries, { kind: leakKind, secret }]);
  const beganMs = performance.now();
  // The world's own configuration, which rightly has the operator's token.
  const isExempt = (path: string) => basename(path) === 'secrets.json';
  const found = await scanner.scanFolder(dataDir, isExempt);
  for (const folder of [reportFolder, ...(await foldersOfOurs())]) {
    found.push(...(await scanner.scanFolder(folder, () => false)));
  }
  say(
    `${(scanner.scannedBytes / 1e6).toFixed(0)} MB searched in ` +
      `${((performance.now() - beganMs) / 1000).toFixed(1)} s for ${scanner.needleCount} windows of ` +
      `${planting.canaries.length} secrets; ${reports} crash reports, ${collector.bodies.length} batches of spans`,
  );
  const blind = [...blindSpots(found, { dataDir, secret })];
  if (collector.bodies.length === 0) blind.push('no span came');
  if (reports === 0) blind.push('no crash report was written');
  for (const spot of blind) say(`BLIND: ${spot}`);
  const leaks = found.filter(({ kind }) => kind !== leakKind);
  for (const leak of summed(leaks, dataDir)) say(`LEAK: ${leak}`);
  const isProved = leaks.length === 0 && blind.length === 0;
  say(isProved ? 'PROVED: every planted leak was found, and no secret was.' : 'VIOLATED');
  return isProved;
}

function summed(leaks: readonly Leak[], dataDir: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const { kind, spelling, place, excerpt } of leaks) {
    if (process.env['SHOW_LEAKS'] !== undefined) say(`${kind}: ${excerpt}`);
    const key = `${kind}, ${spelling}, in ${place.replace(dataDir, '')}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${count} × ${key}`);
}

/** What was told and can be looked up beside what lies there by itself. */
async function keepEvidence({ dataDir, sql, service }: ServiceWorld): Promise<void> {
  await mkdir(join(dataDir, 'evidence'), { recursive: true });
  const keep = (name: string, text: string | Uint8Array) =>
    writeFile(join(dataDir, 'evidence', name), text);
  await keep('answers.txt', heard.join('\n'));
  await keep('spans.json', Buffer.concat(collector.bodies));
  const processes = service.edges.length + service.coordinators.length;
  for (let index = 0; index < processes; index++) {
    const answer = await fetch(`http://127.0.0.1:${metricsPort + index}/metrics`);
    await keep(`metrics-${index}.txt`, await answer.text());
  }
  await keep('database.txt', (await dumpDatabase(sql)).join('\n'));
  await sql`checkpoint`;
}

/** What the providers lent, which nobody outside has ever seen. */
async function addLentKeys(sql: Sql, dataDir: string): Promise<void> {
  const { credentialKey } = await worldSecrets(dataDir);
  const seal = createCredentialSeal([{ id: 'world', key: Buffer.from(credentialKey, 'base64') }]);
  for (const place of sealedPlaces.filter(({ name }) => name === 'inference_key.sealed_key')) {
    const rows = await sql<{ sealed: string; owner: string[] }[]>`
      select ${place.text(sql)} as sealed, ${place.owner(sql)} as owner
      from ${sql(place.table)} where ${place.text(sql)} is not null`;
    for (const { sealed, owner } of rows) {
      planting.known('key lent by a provider', seal.open(sealed, place.context(owner)));
    }
  }
}

async function tellProviders(
  { dataDir }: ServiceWorld,
  kind: 'cut' | 'status' | undefined,
): Promise<void> {
  for (const provider of ['providera', 'providerb']) {
    const url = (await readFile(join(dataDir, `${provider}.url`), 'utf8')).trim();
    const fault = kind === 'cut' ? { kind } : { kind, status: 503 };
    await fetch(`${url}/control`, {
      method: kind === undefined ? 'DELETE' : 'PUT',
      headers: { 'content-type': 'application/json' },
      ...(kind !== undefined && { body: JSON.stringify({ fault: { fault, scope: 'all' } }) }),
    });
  }
}

async function untilHealthy(baseUrls: readonly string[]): Promise<void> {
  await until(async () => {
    const healths = await Promise.all(
      baseUrls.map((url) => fetch(`${url}/health/deep`).catch(() => undefined)),
    );
    return healths.every((answer) => answer?.status === 200);
  }, 60_000);
}

/** Diagnostic reports of each process, as an operator asks for them. */
async function askForReports({ service }: ServiceWorld): Promise<number> {
  const all = [...service.edges, ...service.coordinators];
  for (const each of all) signalProcess(each, 'SIGUSR2');
  const written = async () => (await readdir(reportFolder)).length;
  await until(async () => (await written()) >= all.length, 10_000).catch(() => undefined);
  return await written();
}

/** What processes of the run left beside their data folder. */
async function foldersOfOurs(): Promise<readonly string[]> {
  const names = (await readdir(tmpdir())).filter((name) =>
    /^paddock-(upload|pack|bundle)-/.test(name),
  );
  const found: string[] = [];
  for (const name of names) {
    const path = join(tmpdir(), name);
    const made = await stat(path).catch(() => undefined);
    if (made !== undefined && made.birthtimeMs >= startedAtMs) found.push(path);
  }
  return found;
}

async function startCollector() {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    for await (const chunk of request) bodies.push(chunk as Buffer);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    bodies,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
