/** `npm run check:agent -- FILE…`: what the service would say of a file, before it is submitted. */
import { readFile } from 'node:fs/promises';
import { createCodeAnalyser } from '../../infra/python/python-analyser.ts';
import { referenceProfile } from '../../infra/python/reference-profile.ts';
import { describeVerdict } from './describe-verdict.ts';

// A miner's own machine may be slow; the service allows less.
const deadlineMs = 20_000;
const files = process.argv.slice(2);
const list = (name: string) => (process.env[name] ?? '').split(',').filter((each) => each !== '');
const productIdPattern = process.env['PRODUCT_ID_PATTERN'];
// Empty asks for none, as at the service.
const entryPoint = process.env['AGENT_ENTRY_POINT'] ?? referenceProfile.entryPoint;
const analyser = createCodeAnalyser({
  agentPackages: [...referenceProfile.agentPackages, ...list('AGENT_PACKAGES')],
  ...(productIdPattern && { productIdPattern }),
  ...(entryPoint && { entryPoint }),
  deadlineMs,
});

if (files.length === 0) {
  console.error('paddock: name at least one Python file');
  process.exitCode = 2;
}
for (const name of files) {
  const verdict = await analyser.analyse(await readFile(name));
  console.log(describeVerdict(name, verdict));
  if (verdict.kind !== 'clean') process.exitCode = 1;
}
await analyser.stop();
