import test from 'ava';
import {
  idsBeside,
  idsWithin,
  randomHex,
  randomId,
  sha256Hex,
  sharedByIds,
  uuidV5,
} from '../../../infra/ids/ids.ts';

test('a random id is a version 4 UUID in lower case', (t) => {
  const id = randomId();

  t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.not(randomId(), id);
});

test('random hex has two digits for each byte', (t) => {
  t.regex(randomHex(20), /^[0-9a-f]{40}$/);
  t.not(randomHex(20), randomHex(20));
});

// RFC 9562, appendix A.4, and the example in Python's documentation of its uuid module.
const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
for (const [name, uuid] of [
  ['www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
  ['python.org', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
] as const) {
  test(`the version 5 UUID of ${name} is the published one`, (t) => {
    t.is(uuidV5(dns, name), uuid);
  });
}

test('a namespace that is no UUID is refused', (t) => {
  t.throws(() => uuidV5('dns', 'www.example.com'), { message: /namespace/ });
});

test('ids within one thing lie side by side, and those of another elsewhere', (t) => {
  const [idOf, idOfOther] = [idsWithin('one'), idsWithin('other')];
  const { first, last } = idsBeside(idOf('a'));
  const isBeside = (id: string) => first <= id && id <= last;

  t.true(['a', 'b', 'c', 'd', ''].map(idOf).every(isBeside));
  t.false(isBeside(idOfOther('a')));
  t.false(isBeside(randomId()));
  t.deepEqual(idsBeside(idOf('b')), { first, last });
  const shared = sharedByIds(idOf('a'));
  t.is(shared, `${sha256Hex('one').slice(0, 12)}8${sha256Hex('one').slice(13, 16)}`);
  t.is(sharedByIds(idOf('b')), shared);
  t.is(sharedByIds(randomId()), undefined);
});

test('sha256 gives the published digest for text and for bytes', (t) => {
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

  t.is(sha256Hex('abc'), digest);
  t.is(sha256Hex(new TextEncoder().encode('abc')), digest);
});
