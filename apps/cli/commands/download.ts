import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Asked } from '../asked.ts';
import { formOf } from '../client/foreign-answer.ts';
import type { PostPublicArtifactsDownloadUrlRequest } from '../client/paddock.generated.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { exitCodes } from '../exit-code.ts';
import { Failed } from '../failure.ts';
import { sizeText, transferProgress } from '../show/progress.ts';
import { UsageError } from '../usage-error.ts';
import { versionOf } from '../version-of.ts';

type Artifact = PostPublicArtifactsDownloadUrlRequest['body'];

export const download: Command = {
  name: 'download',
  says: 'Fetch released code, the logs of a run, or an episode',
  places: [
    {
      name: 'ID',
      says: 'of an agent version, or the name of an agent of yours: its code',
      isOptional: true,
    },
  ],
  options: {
    run: { value: 'ID', says: 'the logs of this evaluation run' },
    problem: { value: 'ID', says: 'with --run: of one problem alone' },
    episode: { value: 'ID', says: 'the trajectory of this episode result' },
    output: { value: 'FILE', short: 'o', isFile: true, says: 'where to; - is standard output' },
    force: { says: 'replace a file that is there', short: 'f' },
  },
  more: `Code is released five days after its submission, or at once when it becomes top; it is compared
with the digest that the service published. What a race produced is sealed until its embargo is over.
A run has logs only where its validator sent any: the reference validator sends one file for a run, gzipped
text with the end of what the agent printed during each task. The ids of episodes, and of problems where a suite has no pack, are listed by
paddock status ID --tasks.`,
  examples: [
    ['paddock download 019a…', 'the code of a version, into 019a….py'],
    ['paddock download --run 019b… -o logs.gz', 'the logs of a run'],
    ['paddock download --episode 019c… -o episode.json', 'the trajectory of one task'],
  ],
  async run(asked, desk) {
    const { client, out, isJson } = desk;
    const { artifact, name } = await artifactOf(asked, desk);
    const path = asked.text('output') ?? name;
    const { download_url: url } = await client.postPublicArtifactsDownloadUrl({ body: artifact });
    const bytes = await fetched(url, path, desk);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (artifact.agent_version_id) await requireDigest(artifact.agent_version_id, digest, desk);
    if (path === '-') {
      await new Promise((resolve) => process.stdout.write(bytes, resolve));
      return exitCodes.done;
    }
    await writeFile(path, bytes, { flag: asked.isSet('force') ? 'w' : 'wx' }).catch((error) => {
      throw isThere(error)
        ? new Failed(
            `${path} is there already`,
            exitCodes.refused,
            'Replace it with --force, or name another file with -o FILE.',
          )
        : error;
    });
    const told = { file: path, size_bytes: bytes.length, sha256: digest };
    out.line(
      isJson ? JSON.stringify(told) : `${path}: ${sizeText(bytes.length)}, SHA-256 ${digest}`,
    );
    return exitCodes.done;
  },
};

async function artifactOf(
  asked: Asked,
  desk: Desk,
): Promise<{ readonly artifact: Artifact; readonly name: string }> {
  const [given, run] = [asked.placeOr('ID'), asked.text('run')];
  const [problem, episode] = [asked.text('problem'), asked.text('episode')];
  const ways = [given, run, episode].filter((each) => each !== undefined).length;
  if (ways !== 1 || (problem !== undefined && run === undefined)) {
    throw new UsageError('download needs one of ID, --run ID (with --problem ID) and --episode ID');
  }
  if (given !== undefined) {
    const version = await versionOf(given, desk);
    const artifact = { artifact_type: 'AGENT_CODE', agent_version_id: version } as const;
    return { artifact, name: `${version}.py` };
  }
  if (episode !== undefined) {
    const artifact = { artifact_type: 'EPISODE', episode_result_id: episode } as const;
    return { artifact, name: `episode-${episode}.json` };
  }
  const artifact =
    problem === undefined
      ? ({ artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id: run } as const)
      : ({ artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id: run, problem_id: problem } as const);
  return { artifact, name: `logs-${problem ?? run}.gz` };
}

function isThere(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'EEXIST';
}

async function fetched(url: string, path: string, desk: Desk): Promise<Uint8Array> {
  const answer = await fetch(url, { signal: desk.stopping }).catch(() => {
    throw later('the store does not answer', desk);
  });
  const { ok, status, body, headers } = answer;
  if (!ok || body === null) throw later(`the store answered ${status}`, desk);
  // A proxy's. A store may give a page as well, but then it says by an ETag which bytes those are.
  if (formOf(answer) === 'text/html' && !headers.has('etag'))
    throw later('something in the place of the store answered with a page', desk);
  const progress = transferProgress(desk, path);
  try {
    return await received(body, Number(headers.get('content-length') ?? 0), progress);
  } catch {
    throw later('the store broke off', desk);
  } finally {
    progress.end();
  }
}

/** Unless it was Ctrl-C. */
function later(why: string, { stopping }: Desk): Failed {
  stopping.throwIfAborted();
  const message = `the file cannot be fetched: ${why}`;
  return new Failed(message, exitCodes.later, 'Try again in a moment.');
}

async function received(
  body: ReadableStream<Uint8Array>,
  total: number,
  { onPiece }: ReturnType<typeof transferProgress>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (total > 0) onPiece?.(size, total);
  }
  return Buffer.concat(chunks);
}

async function requireDigest(agentVersionId: string, digest: string, { client }: Desk) {
  const request = { agent_version_id: agentVersionId };
  const released = await client.getPublicAgentVersionsByAgentVersionId(request);
  if (released.code_sha256 === digest) return;
  throw new Failed(
    `the file is damaged: its SHA-256 is ${digest}, and should be ${released.code_sha256}`,
    exitCodes.refused,
    'Download it again; if it stays so, tell the operators.',
  );
}
