/**
 * The tests that take long: those that ask a whole service from the outside (over HTTP, as the processes that it really
 * is, or under generated load), that wait for a real outage to pass, that take the schema down and up again, or that run
 * agents in a sandbox, read Python at length or stretch passwords. They are a quarter of the files and four fifths of the
 * time that all tests take. `npm run test:long` runs them, and so does `npm run ci`. `npm test` leaves them out, so that
 * whoever changes a line waits for minutes; what it runs still tries adapters and actors on real servers.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const longTestPatterns: readonly string[] = [
  'test/actors/runtime/cut-off.nats.test.ts',
  'test/actors/runtime/doubt.nats.test.ts',
  'test/actors/runtime/lost-broker.nats.test.ts',
  'test/actors/runtime/moving.nats.test.ts',
  'test/actors/runtime/taken-over-messages.nats.test.ts',
  'test/apps/cli/*.pg.test.ts',
  'test/apps/cli/keys.test.ts',
  'test/apps/history/restored-feed.pg.test.ts',
  'test/apps/migrate/migrate.pg.test.ts',
  'test/apps/validator/escaping-agents.test.ts',
  'test/apps/validator/reference-validator.nats.test.ts',
  'test/apps/validator/runs-left-over.nats.test.ts',
  'test/apps/validator/sandbox.test.ts',
  'test/apps/validator/tool-calls.test.ts',
  'test/apps/world/world.nats.test.ts',
  'test/chaos/events/events.test.ts',
  'test/contract/**/*.pg.test.ts',
  'test/edge/**/*.pg.test.ts',
  'test/fuzz/bad-input.test.ts',
  'test/fuzz/generated-requests.test.ts',
  'test/fuzz/python/fuzz-python.test.ts',
  'test/guides/*.nats.test.ts',
  'test/hostile/*.pg.test.ts',
  'test/hostile/hostile-run.test.ts',
  'test/infra/nats/stream-copies.nats.test.ts',
  'test/infra/postgres/half-open-lines.pg.test.ts',
  'test/infra/postgres/lost-connections.pg.test.ts',
  'test/infra/postgres/migrate.pg.test.ts',
  'test/infra/postgres/restored-roles.pg.test.ts',
  'test/infra/python/bombs.test.ts',
  'test/infra/python/code-shape.test.ts',
  'test/infra/python/evasions/*.test.ts',
  'test/infra/python/give-way.test.ts',
  'test/infra/python/honest/*.test.ts',
  'test/infra/python/python-analyser.test.ts',
  'test/load/bench/planted-history.test.ts',
  'test/service/**/*.test.ts',
  'test/sim/same-seed.pg.test.ts',
];

export function longTests(): readonly string[] {
  return globSync([...longTestPatterns], { cwd: root }).sort();
}
