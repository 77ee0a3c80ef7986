/** A process that has CPython judge a file, says the pid of that, and stays. */
import { leaseJudge } from '../../infra/python/cpython/shared-judge.ts';

const judge = leaseJudge(2000);
await judge.judge(Buffer.from('x = 1\n'));
process.send?.(judge.pid());
setInterval(() => undefined, 60_000);
