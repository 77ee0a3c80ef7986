import test from 'ava';
import { imports, offences, source, sources } from './sources.ts';

test('a rule that scans no files fails', (t) => {
  t.throws(() => offences([], () => []));
});

test('every folder with sources is scanned', (t) => {
  const folders = new Set(sources('ts').map(({ path }) => path.split('/')[0]));

  t.deepEqual([...folders].sort(), ['actors', 'apps', 'infra', 'machines', 'test']);
});

test('imports are found in each of their forms', (t) => {
  const text = [
    `import a from 'one';`,
    'import {',
    '  b,',
    `} from './two.ts';`,
    `export { c } from '../three.ts';`,
    `import 'four';`,
    `const d = await import('five');`,
    `// import e from 'six';`,
  ].join('\n');

  const found = [...imports(source('infra/nats/client.ts', text))];

  t.deepEqual(found, ['one', 'infra/nats/two.ts', 'infra/three.ts', 'four', 'five']);
});
