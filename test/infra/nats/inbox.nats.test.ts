import test from 'ava';
import { createInbox, headers, type NatsConnection } from 'nats';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { Inbox } from '../../../infra/nats/inbox.ts';
import { testNats } from '../../support/cluster.ts';

let connection: NatsConnection;

test.before(async () => {
  connection = await connectNats({ url: await testNats(), name: 'test' });
});
test.after.always(() => connection.close());

function inboxOn(on: NatsConnection) {
  return new Inbox({ connection: on, clock: systemClock, name: createInbox(), soon: setImmediate });
}

const question = (subject: string, n: number, timeoutMs = 5_000) => ({
  ...{ subject, timeoutMs, headers: headers() },
  payload: new TextEncoder().encode(String(n)),
});

test('whatever is asked at once, each question gets its own answer', async (t) => {
  const inbox = inboxOn(connection);
  const unanswered: { respond(): void }[] = [];
  connection.subscribe('inbox.echo', {
    callback: (_, message) => {
      // In the order opposite to that of the questions.
      unanswered.unshift({ respond: () => void message.respond(message.data) });
      if (unanswered.length === 500) for (const one of unanswered) one.respond();
    },
  });

  const heard = await Promise.all(
    Array.from({ length: 500 }, (_, n) => inbox.ask(question('inbox.echo', n))),
  );

  t.deepEqual(
    heard.map((one) => (typeof one === 'string' ? one : one.string())),
    heard.map((_, n) => String(n)),
  );
});

test('an answer that comes too late is nobody else’s', async (t) => {
  const inbox = inboxOn(connection);
  connection.subscribe('inbox.late', {
    callback: (_, message) => {
      const isFirst = message.string() === '1';
      if (isFirst) void systemClock.sleep(200).then(() => message.respond('late'));
      else void systemClock.sleep(300).then(() => message.respond('in time'));
    },
  });

  const late = inbox.ask(question('inbox.late', 1, 50));
  const other = inbox.ask(question('inbox.late', 2));

  t.is(await late, 'silent');
  const heard = await other;
  t.is(typeof heard === 'string' ? heard : heard.string(), 'in time');
});

test('where nobody listens is told from silence', async (t) => {
  const inbox = inboxOn(connection);
  connection.subscribe('inbox.deaf', { callback: () => undefined });
  const [absent, silent] = await Promise.all([
    inbox.ask(question('inbox.nobody', 1)),
    inbox.ask(question('inbox.deaf', 1, 50)),
  ]);

  t.deepEqual([absent, silent], ['absent', 'silent']);
});

test('a connection that has ended takes no question', async (t) => {
  const ended = await connectNats({ url: await testNats(), name: 'ended' });
  const inbox = inboxOn(ended);
  await inbox.ask(question('inbox.nobody', 1));
  await ended.close();

  await t.throwsAsync(inbox.ask(question('inbox.nobody', 1)));
  await t.throwsAsync(inboxOn(ended).ask(question('inbox.nobody', 1)));
});

// Whoever looks at those who wait stops while nobody does: it begins again, or a question would wait for ever.
test('silence is noticed again after nobody waited for a while', async (t) => {
  const inbox = inboxOn(connection);
  connection.subscribe('inbox.mute', { callback: () => undefined });
  t.is(await inbox.ask(question('inbox.mute', 1, 50)), 'silent');
  // A few looks at nobody.
  await systemClock.sleep(200);

  const heard = inbox.ask(question('inbox.mute', 2, 50));

  t.is(await Promise.race([heard, systemClock.sleep(10_000)]), 'silent');
});
