import { NoSandbox } from '../../apps/validator/sandbox/find-sandbox.ts';
import { requireSandbox } from '../../apps/world/demo/real-validators.ts';
import { needsSandbox } from '../support/needs-sandbox.ts';
import { followGuides } from './follow-guide.ts';

// Both begin with the same service, and operators go on with what validators have left.
followGuides([{ name: 'validators.md', obstacle: sandboxObstacle }, { name: 'operators.md' }]);

/** Where there is no sandbox, the reader too is told what to install; the tests of the sandbox say so. */
async function sandboxObstacle(chapter: string): Promise<string | undefined> {
  if (chapter !== 'Run the reference validator') return undefined;
  try {
    await requireSandbox(process.env);
    return undefined;
  } catch (error) {
    if (error instanceof NoSandbox && !needsSandbox) return error.message;
    throw error;
  }
}
