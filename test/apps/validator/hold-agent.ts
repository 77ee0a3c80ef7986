/** Plays an agent that goes on for an hour, for whoever ends this process meanwhile. Says when it has begun. */
import type { SandboxKind } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { NoSandbox } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { trialSandbox, tryAgent } from './try-sandbox.ts';

const [kind, memoryBytes] = process.argv.slice(2);
const sandbox = await trialSandbox(kind as SandboxKind, {
  ...{ memoryBytes: Number(memoryBytes), wallSeconds: 3_600 },
});
if (sandbox instanceof NoSandbox) console.log('no sandbox');
else {
  const code = `import time
from shop_tools import product
def agent_main(problem):
    product("begun")
    time.sleep(3600)
`;
  await tryAgent(sandbox, code, () => {
    console.log('begun');
    return { result: null };
  });
}
