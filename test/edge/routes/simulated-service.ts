import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';

/** Of all modules of simulated-days.pg.test.ts, once its hook ran. */
export let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated' }, edges: 2 });
});
test.after.always(() => service?.stop());
