import test from 'ava';
import { NoSandbox } from '../../apps/validator/sandbox/find-sandbox.ts';
import { requireSandbox } from '../../apps/world/demo/real-validators.ts';
import { followGuide } from './follow-guide.ts';
import { type GuideShell, guideShell } from './guide-shell.ts';

// Both begin with the same service, and operators go on with what validators have left.
const terminals = new Set<string>();
let shell: GuideShell;
test.before(async () => {
  shell = await guideShell();
});
test.after.always(() => shell?.stop());

test.serial(
  'the guide for validators leads from a hotkey to scored runs and weights',
  async (t) => {
    t.timeout(300_000);
    const obstacle = await requireSandbox(process.env).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (obstacle !== undefined && !(obstacle instanceof NoSandbox)) throw obstacle;
    // Here the guide's reader is told what to install, as every test of the sandbox says.
    const without = obstacle === undefined ? undefined : 'Run the reference validator';
    if (without !== undefined) t.log(`without "${without}": ${obstacle?.message}`);

    await followGuide(t, 'validators.md', { shell, terminals, without });
  },
);

test.serial(
  'the guide for operators leads from an empty machine to a service that is looked after',
  async (t) => {
    t.timeout(300_000);
    await followGuide(t, 'operators.md', { shell, terminals });
  },
);
