import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../../infra/ports/clock.ts';
import type { VerifyOptions } from './options.ts';
import { readPage } from './public-page.ts';
import { BundleRefused, BundleUnread, type Manifest, manifest } from './sealed-bundle.ts';
import { wholeAnswer } from './whole-answer.ts';

export interface Sealed {
  readonly bytes: Uint8Array;
  readonly seal: Manifest;
}

const located = manifest.extend({ download_url: z.string() });

/** What the options name, before anything of it is believed. */
export async function fetchSealed(options: VerifyOptions, clock: Clock): Promise<Sealed> {
  const { bundle, url = '', raceId = '', save } = options;
  if (bundle !== undefined) return await readSealed(bundle);
  const { download_url: address, ...seal } = await readPage(
    { url, clock },
    `/v1/public/races/${raceId}/bundle`,
    located,
    BundleUnread,
  );
  const bytes = await download(address, clock);
  if (save !== undefined) {
    await writeFile(save, bytes);
    await writeFile(manifestPath(save), JSON.stringify(seal));
  }
  return { bytes, seal };
}

async function download(address: string, clock: Clock): Promise<Uint8Array> {
  try {
    const { answer, body } = await wholeAnswer({ address, clock });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return body;
  } catch (cause) {
    throw new BundleUnread('the store does not hand out the bundle', { cause });
  }
}

async function readSealed(path: string): Promise<Sealed> {
  const [bytes, text] = await Promise.all([
    readNeeded(path, 'it is the bundle'),
    readNeeded(manifestPath(path), 'it says who signed the bundle'),
  ]);
  try {
    return { bytes, seal: manifest.parse(JSON.parse(text.toString('utf8'))) };
  } catch (cause) {
    throw new BundleRefused(`${manifestPath(path)} is no manifest of a bundle`, { cause });
  }
}

async function readNeeded(path: string, why: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new BundleRefused(`${path} cannot be read, and ${why}`, { cause });
  }
}

const manifestPath = (path: string) => `${path}.manifest.json`;
