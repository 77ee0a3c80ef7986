/**
 * The tests that ask a whole service from the outside: over HTTP, as the processes that it really is, or under
 * generated load. They are a sixth of the files and seven tenths of the time that all tests take, nearly each
 * with a service of its own. `npm run test:service` runs them, and so does `npm run ci`. `npm test` leaves them out, so
 * that whoever changes a line waits for a dozen minutes instead of forty; what it runs still tries adapters, actors
 * and the contract on real servers.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const wholeServicePatterns: readonly string[] = [
  'test/apps/cli/*.pg.test.ts',
  'test/apps/history/restored-feed.pg.test.ts',
  'test/apps/validator/reference-validator.nats.test.ts',
  'test/apps/validator/runs-left-over.nats.test.ts',
  'test/apps/world/world.nats.test.ts',
  'test/chaos/events/events.test.ts',
  'test/edge/**/*.pg.test.ts',
  'test/fuzz/bad-input.test.ts',
  'test/fuzz/generated-requests.test.ts',
  'test/guides/*.nats.test.ts',
  'test/hostile/*.pg.test.ts',
  'test/hostile/hostile-run.test.ts',
  'test/load/bench/planted-history.test.ts',
  'test/service/**/*.test.ts',
];

export function wholeServiceTests(): readonly string[] {
  return globSync([...wholeServicePatterns], { cwd: root }).sort();
}
