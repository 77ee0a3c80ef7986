import { z } from 'zod';
import { bundleKey } from '../../../../actors/services/bundles/bundle-key.ts';
import { isRaceReleased } from '../../../../machines/race/release.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { sealed } from '../../artifacts/seal.ts';
import { endpoint } from '../../endpoint.ts';
import { bundleOf } from '../../reads/bundles.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const bundle = z
  .object({
    race_id: uuidOut,
    sha256: z.string(),
    size_bytes: z.number().int(),
    /** Ed25519 over the 32 bytes of the hash. */
    signature: z.string(),
    public_key: z.string(),
    download_url: z.string(),
    download_url_expires_at: instant,
  })
  .meta({ id: 'RaceBundle' });

export const showRaceBundle = endpoint({
  method: 'get',
  path: '/v1/public/races/{race_id}/bundle',
  role: 'public',
  owner: 'release',
  summary: 'Everything that anybody needs to compute a race again, signed',
  trafficClass: 2,
  params: z.object({ race_id: uuid }),
  response: bundle,
  faults: ['RACE_NOT_FOUND', 'RACE_IN_FLIGHT', 'ARTIFACT_NOT_FOUND'],

  async handle({ params }, { sql, objects, config, time }) {
    const row = await bundleOf(sql, params.race_id);
    if (row === undefined) throw refusal('RACE_NOT_FOUND');
    if (!isRaceReleased(row, row.nowMs)) {
      throw sealed(row);
    }
    if (row.bundle === null) {
      throw refusal('ARTIFACT_NOT_FOUND', {
        says: 'The bundle of this race is being built.',
        next: 'Ask again in a minute.',
      });
    }
    const { sha256, sizeBytes, signature, publicKey } = row.bundle;
    const seconds = config.downloadUrlSeconds;
    const url = await objects.presignGet(bundleKey(sha256), seconds);
    return {
      race_id: params.race_id,
      sha256,
      size_bytes: sizeBytes,
      signature,
      public_key: publicKey,
      download_url: url,
      download_url_expires_at: formatInstant(time.nowMs() + seconds * 1000),
    };
  },
});
