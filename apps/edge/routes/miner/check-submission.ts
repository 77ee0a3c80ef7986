import { z } from 'zod';
import { Fault } from '../../../../machines/fault.ts';
import { endpoint } from '../../endpoint.ts';
import { readCheckedUpload, requireCleanCode } from '../../submission/checks.ts';
import { submissionForm } from '../../submission/multipart.ts';
import { violation } from '../../wire/violation.ts';

/**
 * A rehearsal of submit: the same refusals, but findings of the static analysis are an answer. The
 * cooldown is not asked, so that a miner may prepare the next version while it runs.
 */
export const checkSubmission = endpoint({
  method: 'post',
  path: '/v1/miner/submit/check',
  role: 'miner',
  owner: 'caller',
  summary: 'Run every check of a submission and change nothing',
  trafficClass: 1,
  budget: 'submission',
  bodyKind: 'multipart',
  requestMediaType: 'multipart/form-data',
  requestShape: submissionForm,
  response: z.object({ ok: z.boolean(), violations: z.array(violation) }),
  faults: [
    'NO_ACTIVE_SUITE',
    'INVALID_AGENT_NAME',
    'FILE_TOO_LARGE',
    'INVALID_FILE',
    'UNSUPPORTED_MEDIA_TYPE',
    'VALIDATION_FAILED',
  ],

  async handle({ caller, context }, deps) {
    const { file } = await readCheckedUpload(context, deps);
    try {
      const turn = { hotkey: caller.name, signal: context.signal };
      await deps.analyses.during(turn, (analyse) => requireCleanCode(file, analyse));
      return { ok: true, violations: [] };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'CODE_ANALYSIS_ERROR') throw error;
      return { ok: false, violations: z.array(violation).parse(error.extras['violations']) };
    }
  },
});
