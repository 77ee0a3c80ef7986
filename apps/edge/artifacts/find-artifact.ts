import type { GivenOutAs } from '../../../infra/ports/object-store.ts';
import { glimpse, refusal, type Said } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import {
  codeKey,
  logsFolder,
  logsKeyWithin,
  problemLogsFolder,
} from '../evaluation/object-keys.ts';
import { ledgerOfEpisode, logsOfProblem, logsOfRun } from '../reads/artifacts.ts';
import { type ArtifactRequest, type ArtifactType, artifactTypes } from '../wire/artifact.ts';
import { requireReleasedCode } from './released-code.ts';
import { requireReleased } from './seal.ts';

type Deps = Pick<EdgeDeps, 'config' | 'keptEpisodes' | 'keptLogs' | 'objects' | 'sql'>;
type IdField = Exclude<keyof ArtifactRequest, 'artifact_type'>;

export interface FoundArtifact {
  readonly key: string;
  /** Undefined for what has the type that we gave it. */
  readonly as: GivenOutAs | undefined;
}

/**
 * The key of an artifact that anybody may have now, of which the object is there. Every look is at the
 * database and its clock, so that nothing leaves an instant before its release.
 */
export async function findArtifact(request: ArtifactRequest, deps: Deps): Promise<FoundArtifact> {
  const type = typeOf(request);
  const key = await keyFinders[type](request, deps);
  const present = key === undefined ? undefined : await presentKey(type, key, deps);
  if (present === undefined) throw refusal('ARTIFACT_NOT_FOUND', absent[type]);
  return { key: present, as: givenOutAs[type]?.(request) };
}

/** What validators sent, by the names that `paddock download` gives it. An episode may be any text. */
const givenOutAs: Readonly<
  Partial<Record<ArtifactType, (request: ArtifactRequest) => GivenOutAs>>
> = {
  EVAL_LOGS_BUNDLE: ({ eval_run_id: id }) => logsFile(id),
  EVAL_PROBLEM_LOGS: ({ problem_id: id }) => logsFile(id),
  EPISODE: ({ episode_result_id: id }) => ({
    contentType: 'application/octet-stream',
    fileName: `episode-${id}.json`,
  }),
};

const logsFile = (id: string | null | undefined): GivenOutAs => ({
  contentType: 'application/gzip',
  fileName: `logs-${id}.gz`,
});

/** Where the object lies from now on; undefined where there is none. */
async function presentKey(type: ArtifactType, key: string, { keptLogs, objects }: Deps) {
  if (type === 'EVAL_LOGS_BUNDLE' || type === 'EVAL_PROBLEM_LOGS') return await keptLogs.keyOf(key);
  return (await objects.size(key)) === undefined ? undefined : key;
}

/** Validators may send logs and trajectories, and need not. */
const absent: Readonly<Record<ArtifactType, Said>> = {
  AGENT_CODE: {
    says: 'The file of this version is not in the store.',
    next: 'Tell the operators of this service.',
  },
  EVAL_LOGS_BUNDLE: {
    says: 'The validator of this run has sent no logs of it.',
    next: 'Look at another run of the version.',
  },
  EVAL_PROBLEM_LOGS: {
    says: 'The validator of this run has sent no logs of this problem.',
    next: 'Look at another run of the version.',
  },
  EPISODE: {
    says: 'There is no such episode, or its validator has sent no trajectory of it.',
    next: 'Take the ids of episodes from their run.',
  },
};

function typeOf({ artifact_type }: ArtifactRequest): ArtifactType {
  const type = artifactTypes.find((known) => known === artifact_type);
  if (type !== undefined) return type;
  throw refusal('INVALID_ARTIFACT_TYPE', {
    says: `artifact_type must be one of ${artifactTypes.join(', ')}, and is ${glimpse(artifact_type)}.`,
  });
}

function idFrom(request: ArtifactRequest, field: IdField): string {
  const id = request[field];
  if (typeof id === 'string') return id;
  throw refusal('MISSING_PARAMETER', {
    says: `The artifact_type ${request.artifact_type} needs ${field}.`,
    next: `Send ${field} beside it.`,
  });
}

type FindKey = (request: ArtifactRequest, deps: Deps) => Promise<string | undefined>;

const keyFinders: Readonly<Record<ArtifactType, FindKey>> = {
  AGENT_CODE: async (request, deps) => {
    const code = await requireReleasedCode(idFrom(request, 'agent_version_id'), deps);
    return codeKey(code.codeSha256);
  },
  EVAL_LOGS_BUNDLE: async (request, { sql }) => {
    const evalRunId = idFrom(request, 'eval_run_id');
    const logs = requireReleased(await logsOfRun(sql, evalRunId), 'EVAL_RUN_NOT_FOUND');
    return logsKeyWithin(logsFolder(evalRunId), logs.logsKey);
  },
  EVAL_PROBLEM_LOGS: async (request, { sql }) => {
    const evalRunId = idFrom(request, 'eval_run_id');
    const problemId = idFrom(request, 'problem_id');
    const found = await logsOfProblem(sql, evalRunId, problemId);
    const logs = requireReleased(found, 'EVAL_RUN_NOT_FOUND');
    return logsKeyWithin(problemLogsFolder(evalRunId, problemId), logs.logsKey);
  },
  EPISODE: async (request, { sql, keptEpisodes }) => {
    const id = idFrom(request, 'episode_result_id');
    const found = await ledgerOfEpisode(sql, id);
    const { ledgerSha256 } = requireReleased(found, 'ARTIFACT_NOT_FOUND');
    return ledgerSha256 === null ? undefined : await keptEpisodes.keyOf(ledgerSha256);
  },
};
