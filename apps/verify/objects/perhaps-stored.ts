import { markKey } from '../../../infra/object-store/s3-mark-copy.ts';
import {
  artifactKey,
  deliveryKey,
  keptKey,
  logsFolder,
  logsKeyWithin,
  problemLogsFolder,
} from '../../edge/evaluation/object-keys.ts';
import { byKey, type FileKind, firstUuid } from './file-kind.ts';

// Files that a row may name although nobody stored them, or that may go again.

interface DeliveryRow {
  readonly packSha256: string;
  readonly key: string;
  readonly deliverySha256: string;
  readonly sizeBytes: number;
}

const deliveries: FileKind = {
  id: 'deliveries',
  subject: 'packs cut down to some tasks',
  unlessThere: 'made again when they are asked for',
  remedy: 'delete each from the bucket: it is made again when it is asked for',
  async *files(sql, rowsPerPage) {
    const rows = byKey<DeliveryRow>(
      { packSha256: '', key: '', deliverySha256: '', sizeBytes: 0 },
      ({ packSha256, key }) => sql<DeliveryRow[]>`
        select pack_sha256 as "packSha256", delivery_key as key,
          delivery_sha256 as "deliverySha256", size_bytes::float8 as "sizeBytes"
        from pack_delivery
        where (pack_sha256, delivery_key) > (${packSha256}, ${key})
        order by pack_sha256, delivery_key
        limit ${rowsPerPage}`,
    );
    for await (const { packSha256, deliverySha256, sizeBytes } of rows) {
      yield {
        ...{ keys: [deliveryKey(deliverySha256)], sizeBytes, sha256: deliverySha256 },
        belongsTo: `pack ${packSha256}`,
        hurts: 'validators refuse it',
      };
    }
  },
};

interface EpisodeRow {
  readonly evalRunId: string;
  readonly taskId: string;
  /** Null where the result names none that was presigned for its run. */
  readonly artifactSha256: string | null;
}

/**
 * The length that a validator told when it asked for the URL is not compared: of two that tell different ones
 * for the same bytes, one is wrong and the file is not. Copies there are only where the store does not compare
 * uploads, and there nobody gets anything else.
 */
const episodes: FileKind = {
  id: 'episodes',
  subject: 'trajectories that results name',
  unlessThere: 'validators need not send them',
  remedy: 'put each back under its key from a copy of the bucket, or delete it',
  async *files(sql, rowsPerPage) {
    const rows = byKey<EpisodeRow>(
      { evalRunId: firstUuid, taskId: '', artifactSha256: null },
      ({ evalRunId, taskId }) => sql<EpisodeRow[]>`
        select r.eval_run_id as "evalRunId", r.task_id as "taskId",
          a.artifact_sha256 as "artifactSha256"
        from (
          select eval_run_id, task_id, ledger_uri
          from episode_result
          where (eval_run_id, task_id) > (${evalRunId}::uuid, ${taskId})
          order by eval_run_id, task_id
          limit ${rowsPerPage}) r
        left join episode_artifact a on a.eval_run_id = r.eval_run_id
          and a.artifact_sha256 = substring(r.ledger_uri from '/episodes/([0-9a-f]{64})$')
        order by r.eval_run_id, r.task_id`,
    );
    for await (const { evalRunId, taskId, artifactSha256: sha256 } of rows) {
      if (sha256 === null) continue;
      yield {
        ...{ keys: [keptKey(artifactKey(sha256)), artifactKey(sha256)], sizeBytes: null, sha256 },
        belongsTo: `task ${taskId} of run ${evalRunId}`,
        hurts: 'nobody can look at it',
      };
    }
  },
};

const logs = {
  unlessThere: 'validators need not send them',
  remedy: 'put each back under its key from a copy of the bucket, or delete it',
} as const;

/** What is given out is a copy, once there is one. No row says what either is. */
function logsFile(key: string, belongsTo: string) {
  return {
    keys: [keptKey(key), key] as const,
    ...{ sizeBytes: null, sha256: null, belongsTo, hurts: 'nobody can read it' },
  };
}

interface RunRow {
  readonly evalRunId: string;
  readonly key: string | null;
}

const runLogs: FileKind = {
  ...{ id: 'run-logs', subject: 'logs that runs name', ...logs },
  async *files(sql, rowsPerPage) {
    const rows = byKey<RunRow>(
      { evalRunId: firstUuid, key: null },
      ({ evalRunId }) => sql<RunRow[]>`
        select eval_run_id as "evalRunId", results_s3_key as key
        from evaluation_run
        where eval_run_id > ${evalRunId}::uuid
        order by eval_run_id
        limit ${rowsPerPage}`,
    );
    for await (const { evalRunId, key } of rows) {
      const followed = logsKeyWithin(logsFolder(evalRunId), key);
      if (followed !== undefined) yield logsFile(followed, `run ${evalRunId}`);
    }
  },
};

interface ProblemRow extends RunRow {
  readonly problemId: string;
}

const problemLogs: FileKind = {
  ...{ id: 'problem-logs', subject: 'logs that problems of runs name', ...logs },
  async *files(sql, rowsPerPage) {
    const rows = byKey<ProblemRow>(
      { evalRunId: firstUuid, problemId: firstUuid, key: null },
      ({ evalRunId, problemId }) => sql<ProblemRow[]>`
        select eval_run_id as "evalRunId", problem_id as "problemId", logs_s3_key as key
        from problem_progress
        where (eval_run_id, problem_id) > (${evalRunId}::uuid, ${problemId}::uuid)
        order by eval_run_id, problem_id
        limit ${rowsPerPage}`,
    );
    for await (const { evalRunId, problemId, key } of rows) {
      const followed = logsKeyWithin(problemLogsFolder(evalRunId, problemId), key);
      if (followed === undefined) continue;
      yield logsFile(followed, `problem ${problemId} of run ${evalRunId}`);
    }
  },
};

const history: FileKind = {
  id: 'history',
  subject: 'how far the database came',
  unlessThere: 'coordinators write it within seconds',
  remedy:
    'move it aside, unless `npm run history` says that the database went back: coordinators write it anew',
  async *files(sql) {
    const rows = await sql<{ genesis: string }[]>`select genesis from rt.history`;
    for (const { genesis } of rows) {
      yield {
        ...{ keys: [markKey(genesis)], sizeBytes: null, sha256: null },
        belongsTo: `database ${genesis}`,
        hurts: 'a database that goes back is not found out',
      };
    }
  },
};

export const perhapsStored: readonly FileKind[] = [
  deliveries,
  episodes,
  runLogs,
  problemLogs,
  history,
];
