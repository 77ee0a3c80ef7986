import {
  type CodeRelease,
  codeReleaseOf,
  isCodeReleased,
} from '../../../machines/agent-version/code-release.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import { codeOfVersion } from '../reads/artifacts.ts';
import { formatInstant } from '../wire/instant.ts';

export interface ReleasedCode {
  readonly codeSha256: string;
  readonly release: CodeRelease;
}

/** The code of a version that is public by now, on the database's clock. */
export async function requireReleasedCode(
  agentVersionId: string,
  { sql, config }: Pick<EdgeDeps, 'config' | 'sql'>,
): Promise<ReleasedCode> {
  const code = await codeOfVersion(sql, agentVersionId);
  if (code === undefined) throw refusal('AGENT_VERSION_NOT_FOUND');
  const release = codeReleaseOf(code, config.codeReleaseSeconds * 1000);
  if (!isCodeReleased(release, code.nowMs)) {
    throw refusal('ARTIFACT_NOT_RELEASED', {
      says: 'The code of this version is not released yet.',
      next: `Ask again when it becomes top, or at ${formatInstant(release.atMs)}.`,
    });
  }
  return { codeSha256: code.codeSha256, release };
}
