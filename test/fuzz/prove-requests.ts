/**
 * `npm run proof:requests`: sends so many requests at random, right and wrong ones, at a running
 * service. No answer may be a 500 or one that the service's own OpenAPI document does not allow, no
 * process may end, and refused requests may change no row. Ends with code 1 when anything is.
 */
import { lineOf } from '../commands/command-line.ts';
import { proofRequestsCommand } from '../commands/proof-commands.ts';
import { startServiceWorld } from '../support/service-world.ts';
import { fuzz } from './fuzzer.ts';

const values = lineOf(proofRequestsCommand);

let restarts = 0;
await using world = await startServiceWorld({
  edges: values.edges,
  coordinators: values.coordinators,
  // Nothing is to change by itself meanwhile.
  env: { LEASE_SECONDS: '86400', CLAIM_LEASE_SECONDS: '86400', NO_PROGRESS_SECONDS: '86400' },
  onRestart: () => {
    restarts += 1;
  },
});
const startedMs = Date.now();
const report = await fuzz({
  baseUrls: world.service.baseUrls,
  operatorToken: world.service.operatorToken,
  sql: world.sql,
  seed: values.seed,
  count: values.count,
  concurrency: values.concurrency,
  onProgress: (done) =>
    console.log(`${done} sent, ${((Date.now() - startedMs) / 1000).toFixed(0)} s`),
});

const statuses = [...report.byStatus].sort(([one], [other]) => one - other);
console.log(statuses.map(([status, count]) => `${status}: ${count}`).join(', '));
console.log(`${report.accepted.size} operations accepted a request`);
console.log(`none was accepted by: ${report.neverAccepted.join(', ')}`);
console.log(`${report.repeated} refused requests came once more and changed no row`);
for (const problem of report.problems) console.log(`\n${problem}`);
if (restarts > 0) console.log(`${restarts} processes ended`);
const isProved = report.problems.length === 0 && restarts === 0;
console.log(isProved ? 'PROVED: every answer is one that the description allows.' : 'NOT PROVED');
process.exitCode = isProved ? 0 : 1;
