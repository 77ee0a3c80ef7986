import { z } from 'zod';
import {
  rejudgedRacesMax,
  rejudgedRunsMax,
} from '../../../../actors/services/operator/messages.ts';
import { phases } from '../../../../machines/types.ts';
import { endpoint } from '../../endpoint.ts';
import { actorOrderFaults } from '../../operator/order-actor.ts';
import { orderRejudging } from '../../operator/order-rejudging.ts';
import { sha256Hex } from '../../wire/hash.ts';
import { hotkey } from '../../wire/hotkey.ts';
import { instantIn } from '../../wire/instant.ts';
import { reason } from '../../wire/reason.ts';
import { rejudging } from '../../wire/rejudging.ts';
import { uuid } from '../../wire/uuid.ts';

const criteria = {
  validator_hotkey: hotkey.nullable().optional(),
  agent_version_id: uuid.nullable().optional(),
  phase: z.enum(phases).nullable().optional(),
  task_id: z.string().min(1).max(200).nullable().optional(),
  env_pack_sha256: sha256Hex.nullable().optional(),
  claimed_from: instantIn.nullable().optional(),
  claimed_until: instantIn.nullable().optional(),
};

function namesSome(given: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(criteria).some((name) => given[name] !== null && given[name] !== undefined);
}

interface Span {
  readonly claimed_from?: number | null | undefined;
  readonly claimed_until?: number | null | undefined;
}

function isSpanSound(given: Span): boolean {
  const { claimed_from: from, claimed_until: until } = given;
  return typeof from !== 'number' || typeof until !== 'number' || from < until;
}

export const createRejudging = endpoint({
  method: 'post',
  path: '/v1/admin/rejudgings',
  role: 'operator',
  summary: `Have counted runs of the active suite judged again by others, ${rejudgedRunsMax} at most, of ${rejudgedRacesMax} races in a row`,
  trafficClass: 1,
  body: z
    .object({ ...criteria, reason })
    .refine(namesSome, 'must name at least one criterion')
    .refine(isSpanSound, { message: 'must be after claimed_from', path: ['claimed_until'] }),
  response: rejudging,
  faults: ['RACE_LOCKED', ...actorOrderFaults],

  handle({ caller, body, context }, deps) {
    const asked = {
      criteria: {
        validatorHotkey: body.validator_hotkey ?? null,
        agentVersionId: body.agent_version_id ?? null,
        phase: body.phase ?? null,
        taskId: body.task_id ?? null,
        envPackSha256: body.env_pack_sha256 ?? null,
        claimedFromMs: body.claimed_from ?? null,
        claimedUntilMs: body.claimed_until ?? null,
      },
      reason: body.reason ?? null,
    };
    return orderRejudging(deps, { caller, context }, { type: 'create-rejudging', body: asked });
  },
});
