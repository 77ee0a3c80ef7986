import test from 'ava';
import { Questions } from '../../../infra/nats/questions.ts';

test('an answer with another number of lines is none to any of its questions', async (t) => {
  const sent: string[] = [];
  const questions = new Questions(async (text) => {
    sent.push(text);
    return sent.length === 1 ? 'first' : 'one';
  });

  const answers = ['a', 'b', 'c'].map((each) => questions.ask(each));

  t.deepEqual(await Promise.all(answers), ['first', undefined, undefined]);
  t.deepEqual(sent, ['a', 'b\nc']);
  t.is(await questions.ask('d'), 'one');
});

// Each would wait for another round trip to somebody who is gone.
test('who asks while nobody answers waits no longer than who asked before', async (t) => {
  const answered = Promise.withResolvers<undefined>();
  let trips = 0;
  const questions = new Questions(async () => {
    trips += 1;
    return await answered.promise;
  });
  const answers = ['a', 'b', 'c'].map((each) => questions.ask(each));
  answered.resolve(undefined);

  t.deepEqual(await Promise.all(answers), [undefined, undefined, undefined]);
  t.is(trips, 1);
});
