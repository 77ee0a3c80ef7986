import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { randomHex } from '../../infra/ids/ids.ts';

const secrets = z.object({
  operatorToken: z.string().min(32),
  s3AccessKeyId: z.string().min(1),
  s3SecretAccessKey: z.string().min(1),
  credentialKey: z.string().min(1),
});

export type WorldSecrets = z.infer<typeof secrets>;

/** The embedded world's own secrets: made at the first start, readable by their owner only. */
export async function worldSecrets(dataDir: string): Promise<WorldSecrets> {
  const path = join(dataDir, 'secrets.json');
  try {
    return secrets.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new Error(`${path} cannot be read; remove the data folder to start afresh`, { cause });
    }
  }
  const made: WorldSecrets = {
    operatorToken: randomHex(24),
    s3AccessKeyId: `paddock${randomHex(6)}`,
    s3SecretAccessKey: randomHex(20),
    credentialKey: Buffer.from(randomHex(32), 'hex').toString('base64'),
  };
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}
