import test, { type ExecutionContext } from 'ava';
import { connectNats } from '../../../infra/nats/connect.ts';
import {
  answerGenesis,
  InstallationWatch,
  type InstallationWatchDeps,
  requireOurs,
} from '../../../infra/nats/installation.ts';
import { privateNats } from '../../support/cluster.ts';
import { until } from '../../support/until.ts';

type Looked = { genesis: string | undefined; hasLooked: boolean };

/** A broker, an edge's watch of it that looks when it is told to, and whoever answers there. */
async function watched(t: ExecutionContext, history: Looked) {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  const said: string[] = [];
  const log = { error: (text: string) => said.push(text), info: (text: string) => said.push(text) };
  let look: () => Promise<void> | void = () => undefined;
  const clock: InstallationWatchDeps['clock'] = {
    every: (_ms, work) => {
      look = work;
      return () => undefined;
    },
  };
  const watch = new InstallationWatch({ connection, history, clock, log });
  const answer = async (genesis: string) => {
    const own = await connectNats({ url, name: genesis });
    t.teardown(() => own.close());
    answerGenesis(own, genesis);
    await own.flush();
  };
  await watch.start();
  return { connection, watch, said, answer, look: async () => await look() };
}

// As while Postgres is away, in which an edge may start: then it knows nothing, and the broker is fine.
test('an edge that has not read its database judges nobody', async (t) => {
  const history: Looked = { genesis: undefined, hasLooked: false };
  const { watch, said, answer, look } = await watched(t, history);
  await answer('ours');
  await look();
  await look();
  t.false(watch.isOther);
  // A new database whose first coordinator has just begun its history.
  history.hasLooked = true;
  await look();
  history.genesis = 'ours';
  await look();
  t.false(watch.isOther);
  t.deepEqual(said, []);
});

test('an edge of a database on which nobody ever worked is elsewhere where somebody answers', async (t) => {
  const { watch, answer, look } = await watched(t, { genesis: undefined, hasLooked: true });
  await answer('theirs');
  await look();
  await look();
  t.true(watch.isOther);
});

test('who comes to our broker by mistake is not taken for its owner while ours answer', async (t) => {
  const { watch, said, answer, look } = await watched(t, { genesis: 'ours', hasLooked: true });
  await answer('theirs');
  await look();
  t.true(watch.isOther);
  t.regex(said.join(), /belongs to another database/);
  await answer('ours');
  for (let times = 0; times < 5; times += 1) {
    await look();
    t.false(watch.isOther);
  }
});

test('a coordinator starts on streams that are its own, whoever else is there', async (t) => {
  const { connection, answer } = await watched(t, { genesis: 'ours', hasLooked: true });
  const said: string[] = [];
  const log = { error: (text: string) => said.push(text) };
  const require = (areStreamsOurs: boolean) =>
    requireOurs(connection, { ours: 'ours', areStreamsOurs }, log);
  await t.notThrowsAsync(require(false));
  await answer('theirs');

  await t.notThrowsAsync(require(true));
  await until(() => said.length === 1);
  await t.throwsAsync(require(false), { name: 'OtherInstallation' });
  await answer('ours');
  await t.notThrowsAsync(require(false));
});
