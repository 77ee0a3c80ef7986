import test from 'ava';
import { shownValue } from '../../../infra/config/setting.ts';

test('no password is shown, however its URL is written', (t) => {
  t.is(shownValue('wss://user:ab/cd@node:9944'), '"wss://[hidden]@node:9944"');
  t.is(shownValue('user:word@node:9944'), '"[hidden]@node:9944"');
  t.is(shownValue('nats://a:word@one,nats://b:w@rd@two'), '"nats://[hidden]@two"');
  t.is(shownValue('http://node:9944'), '"http://node:9944"');
});
