import { systemClock } from '../../infra/clock/system-clock.ts';
import { ConfigInvalid } from '../../infra/config/config.ts';
import { createS3Inspector } from '../../infra/object-store/s3-inspector.ts';
import { outliveReader } from '../cli/show/closed-pipe.ts';
import { plainText } from '../cli/show/plain-text.ts';
import { terminal } from '../world/terminal.ts';
import { AuditUnreadable } from './audit/audit-unreadable.ts';
import { verifyAudit } from './audit/verify-audit.ts';
import { liveRules } from './live/live-rules.ts';
import { LiveUnreadable } from './live/live-unreadable.ts';
import { verifyLive } from './live/verify-live.ts';
import { ObjectsUnreadable } from './objects/objects-unreadable.ts';
import { verifyObjects } from './objects/verify-objects.ts';
import {
  type AuditOptions,
  type LiveOptions,
  type ObjectsOptions,
  readOptions,
  UsageError,
  usage,
} from './options.ts';
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
  const told = { terminal: terminal({ stream, isStyled }), clock: systemClock };
  if ('live' in options) {
    return await verifyLive({ ...told, ...liveAccess(options.live), options: options.live });
  }
  if ('objects' in options) {
    const { objects } = options;
    return await verifyObjects({ ...told, ...objectsAccess(objects), options: objects });
  }
  const isSame =
    'audit' in options
      ? await verifyAudit({ ...told, ...auditAccess(options.audit), options: options.audit })
      : await verify({ ...told, options });
  return isSame ? 0 : 1;
}

/** Secrets come by the environment: a command line is seen by everybody on the machine. */
function auditAccess({ url }: AuditOptions) {
  const databaseUrl = process.env['DATABASE_URL'] || undefined;
  const operatorToken = process.env['OPERATOR_TOKEN'] || undefined;
  if (databaseUrl === undefined && url === undefined) {
    throw new UsageError('set DATABASE_URL, or give --url and set OPERATOR_TOKEN');
  }
  if (url !== undefined && operatorToken === undefined) {
    throw new UsageError('set OPERATOR_TOKEN to read the log through the operator API');
  }
  return { databaseUrl, operatorToken };
}

/** What the rules are about: as the environment has it, or as services have it without. */
function liveAccess({ databaseUrl = process.env['DATABASE_URL'] ?? '' }: LiveOptions) {
  if (databaseUrl === '') throw new UsageError('set DATABASE_URL, or give --database');
  return { databaseUrl, rules: liveRules(process.env) };
}

/** Where the files are and whose, as services are told it. */
function objectsAccess({ databaseUrl = process.env['DATABASE_URL'] ?? '' }: ObjectsOptions) {
  if (databaseUrl === '') throw new UsageError('set DATABASE_URL, or give --database');
  const endpoint = storeVariable('S3_ENDPOINT');
  const bucket = storeVariable('S3_BUCKET');
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new UsageError('S3_ENDPOINT must be a URL beginning http:// or https://');
  }
  const store = createS3Inspector({
    ...{ endpoint, bucket, accessKeyId: storeVariable('S3_ACCESS_KEY_ID') },
    secretAccessKey: storeVariable('S3_SECRET_ACCESS_KEY'),
  });
  return { databaseUrl, bucket, store };
}

function storeVariable(name: string): string {
  const text = process.env[name]?.trim() ?? '';
  if (text === '') throw new UsageError(`set ${name}: the files are asked for as services do it`);
  return text;
}

/** Others wrote what a bundle and a service say. */
function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

outliveReader(process.stdout);
outliveReader(process.stderr);
try {
  process.exitCode = await run();
} catch (error) {
  const isUnchecked =
    error instanceof UsageError ||
    error instanceof ConfigInvalid ||
    error instanceof AuditUnreadable ||
    error instanceof LiveUnreadable ||
    error instanceof ObjectsUnreadable;
  const isTold = isUnchecked || error instanceof BundleRefused;
  console.error(isTold ? `paddock: ${plainLines(error.message)}` : error);
  process.exitCode = isUnchecked ? 2 : 1;
}
