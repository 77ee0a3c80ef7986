import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { randomHex } from '../../infra/ids/ids.ts';

const secrets = z.object({
  operatorToken: z.string().min(32),
  s3AccessKeyId: z.string().min(1),
  s3SecretAccessKey: z.string().min(1),
  credentialKey: z.string().min(1),
  bundleSigningKey: z.string().min(1),
  raceSecret: z.string().min(1),
  /** Signs the keys of the embedded providers. */
  providerSecret: z.string().min(1),
});

const partialSecrets = secrets.partial();

export type WorldSecrets = z.infer<typeof secrets>;

/** The embedded world's own secrets: made at the first need, readable by their owner only. */
export async function worldSecrets(dataDir: string): Promise<WorldSecrets> {
  const path = join(dataDir, 'secrets.json');
  const kept = await keptSecrets(path);
  // A folder of an earlier version lacks what that one did not know.
  const all: WorldSecrets = { ...freshSecrets(), ...kept };
  if (Object.keys(kept).length === Object.keys(all).length) return all;
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(all), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return all;
}

async function keptSecrets(path: string): Promise<Partial<WorldSecrets>> {
  try {
    const kept = partialSecrets.parse(JSON.parse(await readFile(path, 'utf8')));
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path} cannot be read; remove the data folder to start afresh`, { cause });
  }
}

function freshSecrets(): WorldSecrets {
  return {
    operatorToken: randomHex(24),
    s3AccessKeyId: `paddock${randomHex(6)}`,
    s3SecretAccessKey: randomHex(20),
    credentialKey: randomBase64(32),
    bundleSigningKey: randomBase64(32),
    raceSecret: randomBase64(32),
    providerSecret: randomBase64(32),
  };
}

function randomBase64(sizeBytes: number): string {
  return Buffer.from(randomHex(sizeBytes), 'hex').toString('base64');
}
