// Run as a process of its own by the tests: starts both servers, says so, and waits to be killed.
import { join } from 'node:path';
import { startNats } from '../../../infra/local/nats.ts';
import { startPostgres } from '../../../infra/local/postgres.ts';

const folder = process.argv[2] ?? '';
const postgres = await startPostgres({ dataDir: join(folder, 'data'), fsync: false });
const nats = await startNats({ storeDir: join(folder, 'nats'), fsync: false });
console.log(JSON.stringify([postgres.pid, nats.pid]));
