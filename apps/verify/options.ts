import { parseArgs } from 'node:util';

/** Of files that rows name. */
export const fileKindIds = [
  'code',
  'packs',
  'bundles',
  'deliveries',
  'episodes',
  'run-logs',
  'problem-logs',
  'history',
] as const;
export type FileKindId = (typeof fileKindIds)[number];

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

/** Of `--audit`: where the log is read, and where it must not end before. */
export interface AuditOptions {
  /** Of the operator API; the database is read when the environment names one. */
  readonly url: string | undefined;
  readonly expected: { readonly seq: number; readonly hash: string } | undefined;
}

/** Of `--live`: which database, and what of it. */
export interface LiveOptions {
  /** Undefined: the one that the environment names. */
  readonly databaseUrl: string | undefined;
  /** Ids of invariants; all of them when empty. */
  readonly only: readonly string[];
  readonly isJson: boolean;
  /** Nobody asks and everything is taken: what holds only then is checked too. */
  readonly isQuiet: boolean;
  /** No process works on it: what holds only while some do is left out. */
  readonly isBackup: boolean;
  readonly statementTimeoutMs: number;
}

/** Of `--objects`: which rows, and how closely the files are looked at. */
export interface ObjectsOptions {
  /** Undefined: the one that the environment names. */
  readonly databaseUrl: string | undefined;
  /** All kinds when empty. */
  readonly only: readonly FileKindId[];
  readonly isJson: boolean;
  /** Each file is read, and its bytes are compared with what the row says of them. */
  readonly isHashed: boolean;
  readonly statementTimeoutMs: number;
}

/** What is wrong with the command line, in one sentence that says what to do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** What neither a bundle nor a public page lets anybody compute. */
export const onTrust = `On trust: with which qualifying score or pin anybody could race; the draw of tasks; what validators
sent, and which runs count; bans; the parameters of the rules.`;

/** What the public pages tell, and a bundle alone does not. */
export const onTrustAlone = `Without the service also: when qualifying closed, and who was left out; the earlier races; who was top, and since when; who was discarded.`;

export const usage = `npm run verify -- --race ID --url BASE [--public-key HEX] [--save FILE]
npm run verify -- --bundle FILE [--url BASE] [--public-key HEX]
npm run verify -- --audit [--url BASE] [--expect SEQ:HASH]
npm run verify -- --live [--database URL] [--only INV-01]... [--json] [--quiet | --backup]
npm run verify -- --objects [--hash] [--database URL] [--only KIND]... [--json]

  --race ID         a completed race whose detail is released
  --url BASE        the service, for example http://127.0.0.1:8080
  --bundle FILE     a saved bundle; FILE.manifest.json beside it says who signed it
  --save FILE       keep the bundle and its manifest
  --public-key HEX  the service's Ed25519 key, if you know it
  --audit           the operators' log: in the database that DATABASE_URL names, and through the
                    operator API at --url with OPERATOR_TOKEN of the environment
  --expect SEQ:HASH a head that was kept: finds an end that was cut off, and a log written anew
  --live            every invariant that a running service's database can show, read without locks
  --database URL    instead of DATABASE_URL of the environment, where others see no password
  --only INV-01     this invariant; may be given several times
  --objects         every file that a row names: is it in the object store, and as large as the row says;
                    S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY of the environment
                    say where
  --hash            read each file as well, and compare its SHA-256 where its row names one
  --only KIND       files of this kind: ${fileKindIds.join(', ')}
  --quiet           the service is at rest: check as well what holds only then
  --backup          a restored backup, on which no process works: leave out what holds only while
                    some do, and say so
  --json            one JSON document instead of lines
  --timeout-seconds N  for one statement, 60 unless told
  --help            show this

Of a race is computed again what follows from its runs. ${onTrust}
${onTrustAlone}

Exit code 0: all is as it should be; 1: it is not, or a race cannot be read; 2: the command is wrong,
or the log, the database or the object store cannot be read.`;

/** Undefined when help was asked for. */
export function readOptions(
  args: readonly string[],
):
  | VerifyOptions
  | { readonly audit: AuditOptions }
  | { readonly live: LiveOptions }
  | { readonly objects: ObjectsOptions }
  | undefined {
  const values = parsed(args);
  if (values.help === true) return undefined;
  if (values.objects === true) return { objects: objectsOptions(values) };
  if (values.hash !== undefined) throw new UsageError('--hash is about --objects: give both');
  if (values.live === true) return { live: liveOptions(values) };
  if (
    [values.database, values.only, values.json, values.quiet, values.backup].some(
      (value) => value !== undefined,
    )
  ) {
    throw new UsageError(
      '--database, --only, --json, --quiet and --backup are about --live, the first three about --objects too: give either',
    );
  }
  if (values.audit === true) return { audit: auditOptions(values) };
  if (values.expect !== undefined) throw new UsageError('--expect is about --audit: give both');
  const { race: raceId, url, bundle, save, 'public-key': publicKey } = values;
  if (bundle === undefined && (raceId === undefined || url === undefined)) {
    throw new UsageError('give --race and --url, or --bundle; --help shows more');
  }
  requireHttp(url);
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

function auditOptions(values: ReturnType<typeof parsed>): AuditOptions {
  const { url, expect, race, bundle, save, 'public-key': publicKey } = values;
  if ([race, bundle, save, publicKey].some((value) => value !== undefined)) {
    throw new UsageError('--audit is about the log alone: give --url and --expect at most');
  }
  requireHttp(url);
  const [, seq = '', hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(expect ?? '') ?? [];
  if (expect !== undefined && seq === '') {
    throw new UsageError(
      '--expect must be a number, a colon and 64 hex digits, as --audit prints it',
    );
  }
  return {
    url: url?.replace(/\/+$/, ''),
    expected: expect === undefined ? undefined : { seq: Number(seq), hash: hash.toLowerCase() },
  };
}

function liveOptions(values: ReturnType<typeof parsed>): LiveOptions {
  const { race, url, bundle, save, audit, expect, 'public-key': publicKey } = values;
  if ([race, url, bundle, save, audit, expect, publicKey].some((value) => value !== undefined)) {
    throw new UsageError('--live is about a database alone: --help shows what goes with it');
  }
  const { only = [] } = values;
  const ids = only.map((id) => id.toUpperCase());
  const unknown = ids.find((id) => !/^INV-(?:0[1-9]|[1-4]\d|50)$/.test(id));
  if (unknown !== undefined) throw new UsageError(`--only takes INV-01 to INV-50, not ${unknown}`);
  if (values.quiet === true && values.backup === true) {
    throw new UsageError('--quiet is about processes at rest, and on a --backup there are none');
  }
  return {
    ...readingOptions(values),
    only: ids,
    isQuiet: values.quiet === true,
    isBackup: values.backup === true,
  };
}

function objectsOptions(values: ReturnType<typeof parsed>): ObjectsOptions {
  const { race, url, bundle, save, audit, expect, live, quiet, backup } = values;
  const others = [
    race,
    url,
    bundle,
    save,
    audit,
    expect,
    live,
    quiet,
    backup,
    values['public-key'],
  ];
  if (others.some((value) => value !== undefined)) {
    throw new UsageError(
      '--objects is about a database and its object store alone: --help shows what goes with it',
    );
  }
  const only = (values.only ?? []).map((word) => {
    const id = fileKindIds.find((known) => known === word.toLowerCase());
    if (id !== undefined) return id;
    throw new UsageError(`--only takes ${fileKindIds.join(', ')} with --objects, not ${word}`);
  });
  return { ...readingOptions(values), only, isHashed: values.hash === true };
}

/** How a database is read, and how it is told. */
function readingOptions(values: ReturnType<typeof parsed>) {
  const { database, json = false, 'timeout-seconds': seconds = '60' } = values;
  if (database !== undefined && !/^postgres(?:ql)?:\/\//.test(database)) {
    throw new UsageError('--database must begin with postgres:// or postgresql://');
  }
  if (!/^[1-9]\d{0,4}$/.test(seconds)) {
    throw new UsageError('--timeout-seconds must be a whole number of seconds');
  }
  return { databaseUrl: database, isJson: json, statementTimeoutMs: Number(seconds) * 1000 };
}

function requireHttp(url: string | undefined): void {
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw new UsageError('--url must begin with http:// or https://');
  }
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
        audit: { type: 'boolean' },
        expect: text,
        live: { type: 'boolean' },
        objects: { type: 'boolean' },
        hash: { type: 'boolean' },
        database: text,
        only: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        quiet: { type: 'boolean' },
        backup: { type: 'boolean' },
        'timeout-seconds': text,
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
