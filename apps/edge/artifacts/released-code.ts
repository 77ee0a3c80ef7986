import { type CodeRelease, codeReleaseOf } from '../../../machines/agent-version/code-release.ts';
import { Fault } from '../../../machines/fault.ts';
import type { EdgeDeps } from '../deps.ts';
import { codeOfVersion } from '../reads/artifacts.ts';

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
  if (code === undefined) throw new Fault('AGENT_VERSION_NOT_FOUND', 'no such agent version');
  const release = codeReleaseOf(code, config.codeReleaseSeconds * 1000);
  if (code.nowMs < release.atMs) {
    throw new Fault('ARTIFACT_NOT_RELEASED', 'this version is not released yet');
  }
  return { codeSha256: code.codeSha256, release };
}
