import test from 'ava';
import { entityTagOf, isKnownTag } from '../../../apps/edge/public-reads/entity-tag.ts';

const tag = entityTagOf(Buffer.from('{"a": 1}'));
const strong = tag.slice(2);

test('a tag names the bytes', (t) => {
  t.regex(tag, /^W\/"[\w-]{22}"$/);
  t.is(entityTagOf(Buffer.from('{"a": 1}')), tag);
  t.not(entityTagOf(Buffer.from('{"a": 2}')), tag);
});

for (const [header, isKnown] of [
  [undefined, false],
  ['', false],
  [tag, true],
  [strong, true],
  ['*', true],
  [`"x", ${tag}`, true],
  [`"x",${strong} , W/"y"`, true],
  [`, ,${tag},`, true],
  [`"a,b", ${tag}`, true],
  ['"x"', false],
  ['W/"x", "y"', false],
  [strong.slice(1, -1), false],
  [`${tag}, *`, false],
  [`w/${strong}`, false],
  [`${tag} and more`, false],
  [`"${tag}"`, false],
] as const) {
  test(`If-None-Match: ${header} ${isKnown ? 'holds' : 'does not hold'} the tag`, (t) => {
    t.is(isKnownTag(header, tag), isKnown);
  });
}
