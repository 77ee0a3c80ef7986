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

const usage =
  'npm run check:agent -- FILE…\nSays what the service would say of each Python file, before it is submitted.';
const isHelp = files.some((name) => name === '--help' || name === '-h');
if (isHelp) console.log(usage);
else if (files.length === 0) {
  console.error(`paddock: name at least one Python file\n\n${usage}`);
  process.exitCode = 2;
}
for (const name of isHelp ? [] : files) await check(name);
await analyser.stop();

async function check(name: string): Promise<void> {
  const file = await readFile(name).catch((error: Error) => error);
  if (file instanceof Error) {
    console.error(`paddock: ${name} cannot be read: ${file.message}`);
    process.exitCode = 2;
    return;
  }
  const verdict = await analyser.analyse(file);
  console.log(describeVerdict(name, verdict));
  if (verdict.kind !== 'clean') process.exitCode ??= 1;
}
