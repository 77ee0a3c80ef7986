/** A completion took effect, and a heartbeat says so before its own answer is here. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { shopContract } from '../../../apps/validator/shop/catalogue.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';
import {
  claimOf,
  folderFor,
  noWork,
  openStub,
  type StubService,
  say,
  startStubbed,
} from './stub-service.ts';

const isComplete = (response: ServerResponse) =>
  say(response, 409, { detail: 'It was completed before.', error_code: 'RUN_ALREADY_COMPLETE' });

/** A service that takes the completion, says nothing to whoever asked, and then says this to who asks again. */
async function overtaken(t: ExecutionContext, again: (response: ServerResponse) => void) {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const clock = new ManualClock();
  const ends: unknown[] = [];
  const telemetry = {
    ...silentTelemetry,
    count: (name: string, _by?: number, attributes?: object) => {
      if (name === 'paddock.validator.runs') ends.push({ ...attributes });
    },
  };
  let refusals = 0;
  stub.answers
    .set('/pack/pack', (response) => say(response, 200, { tool_contract_version: shopContract }))
    .set('/run/release', isComplete)
    .set('/run/complete', (response) => {
      stub.answers.set('/run/complete', again).set('/run/heartbeat', (beat) => {
        beat.once('close', () => {
          refusals += 1;
        });
        isComplete(beat);
      });
      // Nothing comes, for as long as it is waited for.
      t.teardown(() => response.destroy());
    });
  const moved = (probe: () => boolean) =>
    until(async () => {
      await clock.advance(100);
      return probe();
    });
  /** The clock does not move while the second answer is under way: it is not late on a busy machine. */
  async function askedAgain() {
    await moved(() => refusals > 0);
    await clock.advance(30_000);
    await moved(() => stub.askedFor('/run/complete').length > 1 || ends.length > 0);
  }
  return { stub, folder, clock, ends, telemetry, askedAgain };
}

/** One run whose code nobody can download. */
function oneRun(stub: StubService) {
  const claims = [{ ...claimOf('run', stub), heartbeat_interval_seconds: 1 }];
  return (response: ServerResponse) => {
    const claim = claims.shift();
    if (claim === undefined) noWork(response);
    else say(response, 200, claim);
  };
}

for (const { again, end } of [
  { again: (response: ServerResponse) => say(response, 200, { status: 'FAILED' }), end: 'failed' },
  // As where somebody else completed it.
  { again: isComplete, end: 'lost' },
]) {
  test(`a run that is said to be complete is waited for, and counted once, as ${end}`, async (t) => {
    const { stub, folder, clock, ends, telemetry, askedAgain } = await overtaken(t, again);
    stub.answers.set('/work/claim', oneRun(stub));
    const validator = await startStubbed(folder, stub, { clock, telemetry });
    await askedAgain();
    await until(() => ends.length > 0);
    await validator.stop();

    t.deepEqual(ends, [{ end }]);
    t.is(stub.askedFor('/run/complete').length, 2);
    t.is(new Set(stub.askedFor('/run/complete').map(({ key }) => key)).size, 1);
  });
}

test('so is one that an earlier process has left', async (t) => {
  const again = (response: ServerResponse) => say(response, 200, { status: 'FAILED' });
  const { stub, folder, clock, ends, telemetry, askedAgain } = await overtaken(t, again);
  const completion = { terminal_status: 'FAILED' };
  const note = { eval_run_id: 'run', heartbeat_interval_seconds: 1, completion };
  await writeFile(join(folder, 'run.json'), JSON.stringify(note));
  const validator = await startStubbed(folder, stub, { clock, telemetry });
  await askedAgain();
  await until(() => !existsSync(join(folder, 'run.json')));
  await validator.stop();

  t.deepEqual(ends, []);
  t.is(stub.askedFor('/run/complete').length, 2);
  t.deepEqual(stub.askedFor('/run/release'), []);
});
