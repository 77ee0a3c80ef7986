import test from 'ava';
import { createCodeAnalyser } from '../../../../infra/python/python-analyser.ts';
import { composedAgents, writtenAgents } from './agents.ts';
import { answerTables } from './answer-tables.ts';

// Not about speed: a busy machine makes every second of processor time shorter.
const analyser = createCodeAnalyser({ agentPackages: ['shop_tools'], deadlineMs: 20_000 });
test.before(() => analyser.start());
test.after.always(() => analyser.stop());

// Those above are part of `npm run proof:honest`, which asks CPython about all of them too.
const composedBytesMax = 30_000;

test('honest agents of many styles are accepted', async (t) => {
  const composed = composedAgents(60).filter(({ file }) => file.byteLength < composedBytesMax);
  const agents = [...writtenAgents(), ...composed];
  t.true(agents.length > 60);

  for (const { name, file } of agents) {
    t.deepEqual(await analyser.analyse(file), { kind: 'clean' }, name);
  }
});

test('a file that brings its answers along is refused for that, however they are written', async (t) => {
  t.true(answerTables.length > 60);

  for (const { name, code } of answerTables) {
    const verdict = await analyser.analyse(Buffer.from(code));
    const found = verdict.kind === 'violations' ? verdict.violations : [];
    const categories = new Set(found.map(({ category }) => category));
    t.deepEqual([...categories], ['INTEGRITY'], `${name}: ${JSON.stringify(verdict)}`);
  }
});

test('what ids of products look like is the operator’s to say', async (t) => {
  const file = Buffer.from('KNOWN = ["shop-017", "shop-103", "shop-226"]\n');
  const own = createCodeAnalyser({ productIdPattern: 'shop-\\d{3}', deadlineMs: 20_000 });
  t.teardown(() => own.stop());

  t.is((await analyser.analyse(file)).kind, 'clean');
  const verdict = await own.analyse(file);

  t.is(verdict.kind, 'violations');
  const rules = verdict.kind === 'violations' ? verdict.violations.map(({ rule }) => rule) : [];
  t.deepEqual([...new Set(rules)], ['hard-coded-product-id']);
});
