import { bundleKey } from '../../../actors/services/bundles/bundle-key.ts';
import { codeKey, packKey } from '../../edge/evaluation/object-keys.ts';
import { byKey, type FileKind, firstUuid } from './file-kind.ts';

// Files that were in the store before anybody wrote the row that names them.

interface VersionRow {
  readonly agentVersionId: string;
  readonly state: string;
  readonly minerHotkey: string;
  readonly codeSha256: string;
  readonly sizeBytes: number;
}

/** Two versions may have one file: each of them is asked for, since each is hurt. */
const code: FileKind = {
  id: 'code',
  subject: 'the files of agent versions',
  remedy:
    'put each back under its key, from a copy of the bucket or from its miner; the same file submitted again does it too',
  async *files(sql, rowsPerPage) {
    const none = { agentVersionId: firstUuid, state: '', minerHotkey: '', codeSha256: '' };
    const rows = byKey<VersionRow>(
      { ...none, sizeBytes: 0 },
      ({ agentVersionId }) => sql<VersionRow[]>`
        select agent_version_id as "agentVersionId", state, miner_hotkey as "minerHotkey",
          code_sha256 as "codeSha256", code_size_bytes as "sizeBytes"
        from agent_version
        where agent_version_id > ${agentVersionId}::uuid
        order by agent_version_id
        limit ${rowsPerPage}`,
    );
    for await (const { agentVersionId, state, minerHotkey, codeSha256, sizeBytes } of rows) {
      yield {
        ...{ keys: [codeKey(codeSha256)], sizeBytes, sha256: codeSha256 },
        belongsTo: `version ${agentVersionId}, ${state}, of ${minerHotkey}`,
        hurts: lossOfCode(state),
      };
    }
  },
};

function lossOfCode(state: string): string {
  if (state === 'ELIGIBLE') return 'it cannot race';
  const isEvaluated = ['RECEIVED', 'QUEUED', 'RUNNING'].includes(state);
  return isEvaluated ? 'its runs fail' : 'nobody can download it';
}

interface PackRow {
  readonly packSha256: string;
  readonly sizeBytes: number;
  /** Null where no suite has its tasks from this pack. */
  readonly suites: string | null;
  readonly isActive: boolean;
}

const packs: FileKind = {
  id: 'packs',
  subject: 'environment packs',
  remedy: 'upload each again as it was, or put it back under its key from a copy of the bucket',
  isReplaced: true,
  async *files(sql, rowsPerPage) {
    const rows = byKey<PackRow>(
      { packSha256: '', sizeBytes: 0, suites: null, isActive: false },
      ({ packSha256 }) => sql<PackRow[]>`
        select p.pack_sha256 as "packSha256", p.size_bytes::float8 as "sizeBytes", s.suites,
          coalesce(s.is_active, false) as "isActive"
        from pack p
        cross join lateral (
          select string_agg(suite_id::text, ', ' order by suite_id) as suites,
            bool_or(is_active) as is_active
          from suite
          where env_pack_sha256 = p.pack_sha256) s
        where p.pack_sha256 > ${packSha256}
        order by p.pack_sha256
        limit ${rowsPerPage}`,
    );
    for await (const { packSha256, sizeBytes, suites, isActive } of rows) {
      yield {
        ...{ keys: [packKey(packSha256)], sizeBytes, sha256: packSha256 },
        belongsTo: suites === null ? 'no suite' : `suite ${suites}${isActive ? ', active' : ''}`,
        hurts: isActive ? 'no race gets its tasks' : 'runs of its suite get no tasks',
      };
    }
  },
};

interface BundleRow {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly sha256: string;
  readonly sizeBytes: number;
}

const bundles: FileKind = {
  id: 'bundles',
  subject: 'signed bundles of races',
  remedy:
    'put each back under its key, from a copy of the bucket or from anybody who kept it: its key has its hash',
  async *files(sql, rowsPerPage) {
    const rows = byKey<BundleRow>(
      { raceId: firstUuid, raceNumber: 0, sha256: '', sizeBytes: 0 },
      ({ raceId }) => sql<BundleRow[]>`
        select b.race_id as "raceId", r.race_number as "raceNumber", b.sha256,
          b.size_bytes::float8 as "sizeBytes"
        from race_bundle b
        join race r using (race_id)
        where b.race_id > ${raceId}::uuid
        order by b.race_id
        limit ${rowsPerPage}`,
    );
    for await (const { raceId, raceNumber, sha256, sizeBytes } of rows) {
      yield {
        ...{ keys: [bundleKey(sha256)], sizeBytes, sha256 },
        belongsTo: `race ${raceId}, number ${raceNumber}`,
        hurts: 'nobody can compute it again',
      };
    }
  },
};

export const storedFirst: readonly FileKind[] = [code, packs, bundles];
