import { refusal } from '../../../machines/refusal.ts';
import { agentName, noAgentName } from '../../../machines/submission/agent-name.ts';
import type { EdgeDeps } from '../deps.ts';
import type { RequestContext } from '../endpoint.ts';
import { activeSuite, type SuiteRow } from '../reads/suites.ts';
import type { Analyse } from './analysis-turns.ts';
import { readSubmission, type SubmittedFile } from './multipart.ts';

/** The checks of rules.md section 8 up to the size: active suite, name, size. */
export async function readCheckedUpload(
  context: RequestContext,
  deps: EdgeDeps,
): Promise<SubmittedFile> {
  await requireActiveSuite(deps);
  return await readUpload(context, deps);
}

export async function requireActiveSuite({ sql }: Pick<EdgeDeps, 'sql'>): Promise<SuiteRow> {
  const suite = await activeSuite(sql);
  if (suite !== undefined) return suite;
  throw refusal('NO_ACTIVE_SUITE', {
    next: 'Submit when operators have activated the next one.',
  });
}

export async function readUpload(
  context: RequestContext,
  { config }: Pick<EdgeDeps, 'config'>,
): Promise<SubmittedFile> {
  return await readSubmission(context.stream, {
    fileBytesMax: config.agentFileBytesMax,
    checkName: requireAgentName,
  });
}

function requireAgentName(text: string | undefined): string {
  const name = text === undefined ? undefined : agentName(text);
  if (name !== undefined) return name;
  throw noAgentName(text);
}

/** UTF-8, syntax, libraries, static analysis: refused with what the miner needs to mend it. */
export async function requireCleanCode(file: Uint8Array, analyse: Analyse): Promise<void> {
  const verdict = await analyse(file);
  if (verdict.kind === 'invalid') throw refusal('INVALID_FILE', { says: verdict.detail });
  if (verdict.kind === 'violations') {
    throw refusal('CODE_ANALYSIS_ERROR', {
      extras: {
        violations: verdict.violations,
      },
    });
  }
}
