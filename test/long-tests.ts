/**
 * The tests that take long: those that ask a whole service from the outside (over HTTP, as the processes that it really
 * is, or under generated load), that wait for a real outage to pass, or that run agents in a sandbox or read Python by
 * the thousand files. They are a fifth of the files and four fifths of the time that all tests take. `npm run
 * test:long` runs them, and so does `npm run ci`. `npm test` leaves them out, so that whoever changes a line waits
 * for minutes; what it runs still tries adapters, actors and the contract on real servers.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const longTestPatterns: readonly string[] = [
  'test/actors/runtime/doubt.nats.test.ts',
  'test/actors/runtime/lost-broker.nats.test.ts',
  'test/actors/runtime/moving.nats.test.ts',
  'test/apps/cli/*.pg.test.ts',
  'test/apps/history/restored-feed.pg.test.ts',
  'test/apps/validator/escaping-agents.test.ts',
  'test/apps/validator/reference-validator.nats.test.ts',
  'test/apps/validator/runs-left-over.nats.test.ts',
  'test/apps/validator/sandbox.test.ts',
  'test/apps/world/world.nats.test.ts',
  'test/chaos/events/events.test.ts',
  'test/contract/journeys/*.pg.test.ts',
  'test/contract/limits.pg.test.ts',
  'test/contract/outages.pg.test.ts',
  'test/edge/**/*.pg.test.ts',
  'test/fuzz/bad-input.test.ts',
  'test/fuzz/generated-requests.test.ts',
  'test/fuzz/python/fuzz-python.test.ts',
  'test/guides/*.nats.test.ts',
  'test/hostile/*.pg.test.ts',
  'test/hostile/hostile-run.test.ts',
  'test/infra/postgres/half-open-lines.pg.test.ts',
  'test/infra/postgres/lost-connections.pg.test.ts',
  'test/infra/python/bombs.test.ts',
  'test/infra/python/evasions/*.test.ts',
  'test/infra/python/give-way.test.ts',
  'test/infra/python/honest/*.test.ts',
  'test/load/bench/planted-history.test.ts',
  'test/service/**/*.test.ts',
  'test/sim/same-seed.pg.test.ts',
];

export function longTests(): readonly string[] {
  return globSync([...longTestPatterns], { cwd: root }).sort();
}
