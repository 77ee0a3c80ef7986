/** `npm run proof:honest`: CPython compiles a hundred honest agents and the analyser accepts each. */
import { createCodeAnalyser } from '../../../../infra/python/python-analyser.ts';
import { startCPython } from '../../../support/cpython.ts';
import { composedAgents, writtenAgents } from './agents.ts';

const written = writtenAgents();
const agents = [...written, ...composedAgents(Math.max(60, 100 - written.length))];
const analyser = createCodeAnalyser({ agentPackages: ['shop_tools'] });
const python = startCPython();
let refused = 0;
let slowestMs = 0;
for (const { name, file } of agents) {
  const compiled = await python.compile(file);
  const began = performance.now();
  const verdict = await analyser.analyse(file);
  slowestMs = Math.max(slowestMs, performance.now() - began);
  if (compiled.ok && verdict.kind === 'clean') continue;
  refused += 1;
  console.log(
    name,
    compiled,
    verdict.kind === 'violations' ? verdict.violations.slice(0, 5) : verdict,
  );
}
await Promise.all([python.dispose(), analyser.stop()]);
const bytes = agents.reduce((sum, { file }) => sum + file.byteLength, 0);
console.log(
  `${agents.length} honest agents, ${bytes} bytes: ${refused} refused, the slowest verdict took ${Math.round(slowestMs)} ms`,
);
process.exitCode = refused === 0 ? 0 : 1;
