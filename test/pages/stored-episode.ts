import { createHash } from 'node:crypto';
import type { TestKey } from '../support/edge-client.ts';
import { okBody, type TrialSuite } from '../support/trial-suite.ts';

/** Every so many steps one fails. */
export const stepsPerFailure = 5_000;

/** Steps of an episode as lines of JSON, as many as make up the bytes. */
export function episodeLines(bytes: number, seed: string): readonly string[] {
  const filler = 'A product that nobody needs, told at length. '.repeat(20);
  const lines: string[] = [];
  for (let size = 0, step = 0; size < bytes; step++) {
    const isFailure = step > 0 && step % stepsPerFailure === 0;
    const line = JSON.stringify({
      type: step % 2 === 0 ? 'tool_call' : 'tool_result',
      ...{ step, seed, tool: 'search', html: '<script>alert(1)</script>' },
      ...(isFailure && { error: 'the search timed out' }),
      text: filler,
    });
    lines.push(line);
    size += line.length + 1;
  }
  return lines;
}

/** Where the episode lies, to be named by the result of its task. */
export async function storeEpisode(
  judge: TestKey,
  of: { readonly id: string; readonly suite: TrialSuite; readonly text: string },
): Promise<string> {
  const bytes = Buffer.from(of.text);
  const target = await okBody<{ upload_url: string; artifact_uri: string }>(
    await judge.post('/v1/validator/episode-artifacts/presign', {
      eval_run_id: of.id,
      env_pack_sha256: of.suite.packSha256,
      artifact_sha256: createHash('sha256').update(bytes).digest('hex'),
      content_length: bytes.length,
    }),
  );
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await fetch(target.upload_url, { method: 'PUT', body: bytes, headers });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return target.artifact_uri;
}
