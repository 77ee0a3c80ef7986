import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { stuckCount } from './metrics-watch.ts';
import { overdueOf, stuckRecords } from './stuck-records.ts';

const checkedAt = new Date(100_000);
const record = {
  ...{ kind: 'message', id: 'm', state: 'fact.run-ended', since: new Date(0) },
  ...{ deadline: null as Date | null, owner: 'coordinator-1-0a', why: 'nobody has taken it' },
};
const found = (...records: (typeof record)[]) => ({ records, checkedAt });

test('a record waits when its time is over, or when it has none', (t) => {
  const names = (deadline: Date | null) =>
    overdueOf(found({ ...record, deadline })).map(({ name }) => name);

  t.deepEqual(names(null), ['message m']);
  t.deepEqual(names(new Date(99_999)), ['message m']);
  t.deepEqual(names(new Date(100_001)), []);
});

test('it is another one as soon as anything about it changes', (t) => {
  const states = [
    record,
    { ...record, deadline: new Date(1) },
    { ...record, owner: 'coordinator-2-0a' },
    { ...record, why: 'its partition has no live owner' },
  ].map((each) => overdueOf(found(each))[0]?.state);

  t.is(new Set(states).size, 4);
});

test('a page of metrics tells how much is stuck, over all kinds', (t) => {
  const line = (kind: string, count: number) =>
    `paddock_stuck{kind="${kind}",otel_scope_name="paddock"} ${count} 1795357000000`;

  t.is(stuckCount(['# TYPE paddock_stuck gauge', line('message', 2), line('race', 1)]), 3);
  t.is(stuckCount([line('message', 0)]), 0);
  t.is(stuckCount(['paddock_requests_total 7']), undefined);
});

test('while no coordinator tells what is stuck, a look has seen nothing', async (t) => {
  const asked = (() => t.fail('the database was asked')) as unknown as Sql;

  await t.throwsAsync(stuckRecords(asked, { isAnythingStuck: undefined }).find());
  t.deepEqual(await stuckRecords(asked, { isAnythingStuck: false }).find(), []);
});
