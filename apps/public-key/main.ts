import { parseArgs } from 'node:util';
import { settings } from '../../infra/config/settings.ts';
import { createEd25519Signer } from '../../infra/crypto/ed25519.ts';

const usage = `npm run public-key

Prints the public half of BUNDLE_SIGNING_KEY, which the environment has: 64 hex digits, to be published.
Who verifies a race names it: npm run verify -- --race ID --url BASE --public-key HEX

  --help  show this`;

/** Needs nothing else of the service: a new key is published before any process has it. */
function run(): number {
  const help = isHelpAsked(process.argv.slice(2));
  if (help !== false) {
    console[help === true ? 'log' : 'error'](usage);
    return help === true ? 0 : 2;
  }
  const seed = settings.BUNDLE_SIGNING_KEY.schema.safeParse(process.env['BUNDLE_SIGNING_KEY']);
  if (!seed.success) {
    console.error('Set BUNDLE_SIGNING_KEY, base64 of 32 bytes, as coordinators have it.');
    return 2;
  }
  console.log(createEd25519Signer(seed.data).publicKey);
  return 0;
}

/** Undefined where the line is none of ours. */
function isHelpAsked(args: readonly string[]): boolean | undefined {
  try {
    return (
      parseArgs({ args: [...args], options: { help: { type: 'boolean' } } }).values.help === true
    );
  } catch {
    return undefined;
  }
}

process.exitCode = run();
