/**
 * The tests that start the service as it really runs, process by process, or put all of it under generated
 * load: four tenths of the time that all tests take, in a twentieth of the files. `npm run test:service` runs
 * them, and so does `npm run ci`. `npm test` leaves them out, so that whoever changes a line waits for nine
 * minutes instead of twenty; what it runs still tries adapters, actors and the HTTP contract on real servers.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const wholeServicePatterns: readonly string[] = [
  'test/service/**/*.test.ts',
  'test/guides/*.nats.test.ts',
  'test/apps/validator/reference-validator.nats.test.ts',
  'test/apps/validator/runs-left-over.nats.test.ts',
  'test/apps/world/world.nats.test.ts',
  'test/chaos/events/events.test.ts',
  'test/edge/openapi/curl-lines.pg.test.ts',
  'test/fuzz/generated-requests.test.ts',
  'test/hostile/cells.pg.test.ts',
  'test/hostile/hostile-run.test.ts',
  'test/load/bench/planted-history.test.ts',
];

export function wholeServiceTests(): readonly string[] {
  return globSync([...wholeServicePatterns], { cwd: root }).sort();
}
