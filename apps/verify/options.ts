import { parseArgs } from 'node:util';

export interface VerifyOptions {
  /** Where the public API is: the bundle comes from there, and its pages are compared too. */
  readonly url: string | undefined;
  readonly raceId: string | undefined;
  /** A bundle that was saved before, with its manifest beside it. */
  readonly bundle: string | undefined;
  readonly save: string | undefined;
  /** 64 hex digits: whose signature counts, whatever the service says of itself. */
  readonly publicKey: string | undefined;
}

/** What is wrong with the command line, in one sentence that says what to do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const usage = `npm run verify -- --race ID --url BASE [--public-key HEX] [--save FILE]
npm run verify -- --bundle FILE [--url BASE] [--public-key HEX]

  --race ID         a completed race whose detail is released
  --url BASE        the service, for example http://127.0.0.1:8080
  --bundle FILE     a saved bundle; FILE.manifest.json beside it says who signed it
  --save FILE       keep the bundle and its manifest
  --public-key HEX  the service's Ed25519 key, if you know it
  --help            show this`;

/** Undefined when help was asked for. */
export function readOptions(args: readonly string[]): VerifyOptions | undefined {
  const values = parsed(args);
  if (values.help === true) return undefined;
  const { race: raceId, url, bundle, save, 'public-key': publicKey } = values;
  if (bundle === undefined && (raceId === undefined || url === undefined)) {
    throw new UsageError('give --race and --url, or --bundle; --help shows more');
  }
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw new UsageError('--url must begin with http:// or https://');
  }
  if (publicKey !== undefined && !/^[0-9a-f]{64}$/i.test(publicKey)) {
    throw new UsageError('--public-key must be 64 hex digits');
  }
  return {
    raceId: raceId?.toLowerCase(),
    url: url?.replace(/\/+$/, ''),
    bundle,
    save,
    publicKey: publicKey?.toLowerCase(),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        race: text,
        url: text,
        bundle: text,
        save: text,
        'public-key': text,
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
