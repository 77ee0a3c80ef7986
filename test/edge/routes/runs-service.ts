import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';

/** Of all modules of runs.pg.test.ts, once its hook ran. */
export let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0' } });
});
test.after.always(() => service?.stop());
