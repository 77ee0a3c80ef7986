import { bundleKey } from '../../actors/services/bundles/bundle-key.ts';
import {
  artifactKey,
  artifactUri,
  codeKey,
  deliveryKey,
  logsKey,
  packKey,
} from '../../apps/edge/evaluation/object-keys.ts';
import type { FileKindId } from '../../apps/verify/options.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { markKey } from '../../infra/object-store/s3-mark-copy.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { addRun, addWork } from './sealed-race.ts';
import { addActiveSuite, addRace, trialId } from './trial-races.ts';

/** Where the one file of each kind lies. */
export type KeyOfKind = Readonly<Record<FileKindId, string>>;

export const bytesOf = (kind: FileKindId) => Buffer.from(`the bytes of ${kind}`);

/** Rows that name one file of each kind, and those files in the bucket. */
export async function nameFiles(sql: Sql, objects: ObjectStore): Promise<KeyOfKind> {
  const packSha256 = sha256Hex(bytesOf('packs'));
  const suiteId = await addActiveSuite(sql);
  await sql`update suite set env_pack_sha256 = ${packSha256}`;
  await addPack(sql, packSha256);
  // Who raced has a version, of which this is made the only one.
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants: [{ hotkey: 'a' }] });
  const code = { sha256: sha256Hex(bytesOf('code')), sizeBytes: bytesOf('code').length };
  await sql`
    update agent_version set state = 'QUEUED', code_sha256 = ${code.sha256},
      code_size_bytes = ${code.sizeBytes}`;
  await sql`
    insert into race_bundle (race_id, sha256, size_bytes, signature, public_key, published_at)
    values (${raceId}, ${sha256Hex(bytesOf('bundles'))}, ${bytesOf('bundles').length}, '', '',
            rt.clock())`;
  const logs = await addNamingRun(sql, { suiteId, versionId: trialId('a') });
  await sql`select rt.advance_mark('1 second', null)`;
  const [history] = await sql<{ genesis: string }[]>`select genesis from rt.history`;
  const keys = {
    code: codeKey(code.sha256),
    packs: packKey(packSha256),
    bundles: bundleKey(sha256Hex(bytesOf('bundles'))),
    deliveries: deliveryKey(sha256Hex(bytesOf('deliveries'))),
    episodes: artifactKey(sha256Hex(bytesOf('episodes'))),
    history: markKey(history?.genesis ?? ''),
    ...logs,
  };
  for (const [kind, key] of Object.entries(keys)) await store(objects, key, kind as FileKindId);
  return keys;
}

async function store(objects: ObjectStore, key: string, kind: FileKindId): Promise<void> {
  const bytes = bytesOf(kind);
  const options = { contentType: 'application/octet-stream', sha256: sha256Hex(bytes) };
  await objects.putOnce(key, bytes, options);
}

async function addPack(sql: Sql, packSha256: string): Promise<void> {
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${packSha256}, ${bytesOf('packs').length}, '{}', 1, '{}', rt.clock())`;
  await sql`
    insert into pack_delivery (pack_sha256, delivery_key, delivery_sha256, size_bytes, created_at)
    values (${packSha256}, 'tasks', ${sha256Hex(bytesOf('deliveries'))},
            ${bytesOf('deliveries').length}, rt.clock())`;
}

async function addNamingRun(sql: Sql, of: { suiteId: number; versionId: string }) {
  const work = await addWork(sql, { ...of, raceId: null, included: 0 });
  const [runId, problemId] = [trialId('run that names'), trialId('problem')];
  const run = { ...of, runId, workId: work, raceId: null, validator: 'v', status: 'SUCCESS' };
  await addRun(sql, run as Parameters<typeof addRun>[1]);
  const runLogs = logsKey(runId, problemId, 'all');
  const problemLogs = logsKey(runId, problemId, 'one');
  await sql`update evaluation_run set results_s3_key = ${runLogs}`;
  await sql`
    insert into problem_progress (eval_run_id, problem_id, part, status, logs_s3_key, updated_at)
    values (${runId}, ${problemId}, 0, 'SUCCESS', ${problemLogs}, rt.clock())`;
  const artifactSha256 = sha256Hex(bytesOf('episodes'));
  await sql`
    insert into episode_artifact (eval_run_id, artifact_sha256, part, content_length, created_at)
    values (${runId}, ${artifactSha256}, 0, 9999, rt.clock())`;
  await sql`
    insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                                verdict_correct, verdict_checks, reward_components, ledger_uri,
                                step_count, created_at)
    values (${runId}, 'task', ${trialId('result')}, 0, 'f', 'completed', true, '{}', '{}',
            ${artifactUri('a-bucket', artifactSha256)}, 1, rt.clock())`;
  return { 'run-logs': runLogs, 'problem-logs': problemLogs };
}
