import { z } from 'zod';
import {
  instant,
  integer,
  releaseReason,
  score,
  sha256,
  text,
  uuid,
  versionState,
} from './atoms.ts';

// Contract 5, Public details; specification, Download URL result.

export const publicDetails = z.strictObject({
  agent_version_id: uuid,
  agent_id: uuid,
  agent_name: text,
  miner_hotkey: text,
  version_number: integer,
  submitted_at: instant,
  state: versionState,
  final_score: score.nullable(),
  // The contract names the list and leaves its entries open.
  race_scores: z.array(
    z.strictObject({
      race_id: uuid,
      race_number: integer,
      race_score: score.nullable(),
      weighted_score: z.number().nullable(),
    }),
  ),
  released_at: instant,
  release_reason: releaseReason,
  code_sha256: sha256,
  code_size_bytes: integer,
});

export const downloadUrl = z.strictObject({ download_url: text, expires_at: instant });

export const raceBundle = z.strictObject({
  race_id: uuid,
  sha256,
  size_bytes: integer,
  signature: text,
  public_key: text,
  download_url: text,
  download_url_expires_at: instant,
});
