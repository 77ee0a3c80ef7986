import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import test from 'ava';
import { historyCommand } from '../../../apps/world/history-command.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

test('the command for a lost history has its variables from a file of its owner alone', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const key = `it's "$HOME"`;
  const variables = { DATABASE_URL: 'postgres://x', S3_SECRET_ACCESS_KEY: key, RACE_SECRET: 'r' };

  const command = await historyCommand(folder, variables);

  t.true(command.endsWith('; npm run history -- accept --operator NAME --reason TEXT)'), command);
  t.false(command.includes('postgres://') || command.includes(key));
  t.is((await stat(`${folder}/history.env`)).mode & 0o777, 0o600);
  const shown = `echo "$DATABASE_URL $S3_SECRET_ACCESS_KEY $RACE_SECRET")`;
  const typed = command.replace(/npm run .*$/, shown);
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', typed], { env: {} });
  t.is(stdout, `postgres://x ${key} \n`);
});
