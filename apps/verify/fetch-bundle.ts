import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { VerifyOptions } from './options.ts';
import { BundleRefused, type Manifest, manifest } from './sealed-bundle.ts';

export interface Sealed {
  readonly bytes: Uint8Array;
  readonly seal: Manifest;
}

const located = manifest.extend({ download_url: z.string() });

/** What the options name, before anything of it is believed. */
export async function fetchSealed(options: VerifyOptions): Promise<Sealed> {
  const { bundle, url = '', raceId = '', save } = options;
  if (bundle !== undefined) return await readSealed(bundle);
  const { download_url: address, ...seal } = located.parse(
    await getJson(`${url}/v1/public/races/${raceId}/bundle`),
  );
  const answer = await fetch(address);
  if (!answer.ok) throw new BundleRefused(`the store answers ${answer.status} for the bundle`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (save !== undefined) {
    await writeFile(save, bytes);
    await writeFile(manifestPath(save), JSON.stringify(seal));
  }
  return { bytes, seal };
}

async function readSealed(path: string): Promise<Sealed> {
  const bytes = await readFile(path);
  const text = await readFile(manifestPath(path), 'utf8').catch((cause: unknown) => {
    throw new BundleRefused(`${manifestPath(path)} is needed: it says who signed the bundle`, {
      cause,
    });
  });
  return { bytes, seal: manifest.parse(JSON.parse(text)) };
}

const manifestPath = (path: string) => `${path}.manifest.json`;

/** A public page; a refusal is told in the service's own words. */
export async function getJson(address: string): Promise<unknown> {
  const answer = await fetch(address);
  const body = (await answer.json()) as { readonly detail?: unknown };
  if (answer.ok) return body;
  throw new BundleRefused(`${address} answers ${answer.status}: ${JSON.stringify(body.detail)}`);
}
