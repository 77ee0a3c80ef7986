import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { verifyEd25519 } from '../../infra/crypto/ed25519.ts';
import { canonicalJson } from '../../machines/canonical-json.ts';
import { type RaceBundle, raceBundle } from '../../machines/race/bundle.ts';

/** What the service says of a bundle: `GET /v1/public/races/{race_id}/bundle`. */
export const manifest = z.object({
  race_id: z.guid(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size_bytes: z.number().int(),
  signature: z.string(),
  public_key: z.string(),
});
export type Manifest = z.infer<typeof manifest>;

/** Says in one sentence why nothing of the bundle can be believed. */
export class BundleRefused extends Error {
  override name = 'BundleRefused';
}

/** What would be compared cannot be had, or not now, which says nothing of the race. */
export class BundleUnread extends BundleRefused {
  override name = 'BundleUnread';
}

/** A hundred times what the largest race needs; a bomb must not fill the memory. */
const textBytesMax = 1024 ** 3;

/**
 * The bundle behind a seal, or BundleRefused: its bytes are the published ones, the signature is of
 * the given key (or else of the one that the manifest names), and the text has its one spelling.
 */
export function openBundle(
  bytes: Uint8Array,
  seal: Manifest,
  publicKey: string = seal.public_key,
): RaceBundle {
  const hash = createHash('sha256').update(bytes).digest();
  if (hash.toString('hex') !== seal.sha256) {
    throw new BundleRefused('the bundle was changed: its bytes do not have the published SHA-256');
  }
  if (seal.public_key !== publicKey) {
    throw new BundleRefused(`the bundle is signed by another key than yours: ${seal.public_key}`);
  }
  if (!verifyEd25519(hash, seal.signature, publicKey)) {
    throw new BundleRefused('the signature is not of this key over this bundle');
  }
  const bundle = bundleOf(textOf(bytes));
  if (bundle.race.race_id !== seal.race_id) {
    throw new BundleRefused(`the bundle is of another race: ${bundle.race.race_id}`);
  }
  return bundle;
}

function textOf(bytes: Uint8Array): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: textBytesMax }).toString('utf8');
  } catch (cause) {
    throw new BundleRefused('the bundle is no gzip file that can be read', { cause });
  }
}

function bundleOf(text: string): RaceBundle {
  const value = jsonOf(text);
  const parsed = raceBundle.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw new BundleRefused(`the bundle has an unknown format at ${where}: ${issue?.message}`);
  }
  // Two spellings of one value would be two bundles of one race.
  if (canonicalOf(value) !== text) throw new BundleRefused('the bundle is not in canonical form');
  return parsed.data;
}

function canonicalOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (cause) {
    throw new BundleRefused('the bundle is nested deeper than that of any race', { cause });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BundleRefused('the bundle is no JSON', { cause });
  }
}
