import { systemClock } from '../../infra/clock/system-clock.ts';
import { terminal } from '../world/terminal.ts';
import { readOptions, UsageError, usage } from './options.ts';
import { BundleRefused } from './sealed-bundle.ts';
import { verify } from './verify.ts';

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(usage);
    return 0;
  }
  const stream = process.stdout;
  const isStyled = stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
  const isSame = await verify({
    options,
    terminal: terminal({ stream, isStyled }),
    clock: systemClock,
  });
  return isSame ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  const isTold = error instanceof UsageError || error instanceof BundleRefused;
  console.error(isTold ? `paddock: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
