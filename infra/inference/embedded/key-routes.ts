import { z } from 'zod';
import { accountOf } from './signed-keys.ts';
import {
  answerError,
  answerJson,
  isCredential,
  jsonBody,
  type StandIn,
  type StandInRequest,
} from './stand-in-request.ts';

const wanted = z.object({
  name: z.string().min(1),
  limit: z.number().min(0).nullable(),
  expires_at: z.iso.datetime(),
});

/** `POST /v1/keys`: a key with an end and a cap, for a management key. */
export function makeKey(standIn: StandIn, request: StandInRequest): void {
  if (!isCredential(standIn, request.bearer)) {
    answerError(request, 401, 'this is no management key');
    return;
  }
  const parsed = wanted.safeParse(jsonBody(request));
  if (!parsed.success) {
    answerError(request, 422, 'a key has a name, a limit and expires_at');
    return;
  }
  const { limit, expires_at: expiresAt } = parsed.data;
  const { key, id } = standIn.keys.make({
    ...{ account: accountOf(request.bearer), limit, expiresAtMs: Date.parse(expiresAt) },
  });
  standIn.counts.keysMade += 1;
  answerJson(request, 201, { key, hash: id });
}

/** `DELETE /v1/keys/{hash}`. */
export function deleteKey(standIn: StandIn, request: StandInRequest): void {
  if (!isCredential(standIn, request.bearer)) {
    answerError(request, 401, 'this is no management key');
    return;
  }
  standIn.keys.revoke(request.path.split('/').at(-1) ?? '');
  standIn.counts.keysRevoked += 1;
  answerJson(request, 200, { deleted: true });
}

/** `GET /v1/key`: what the bearer is, and what is left of its cap. */
export function showKey(standIn: StandIn, request: StandInRequest): void {
  const known = standIn.keys.read(request.bearer, standIn.clock.nowMs());
  if (known !== undefined) {
    const { account, limit } = known;
    const left = standIn.keys.leftOf(known);
    const data = { account, is_management: false, limit, limit_remaining: left };
    answerJson(request, 200, { data });
    return;
  }
  if (!isCredential(standIn, request.bearer)) {
    answerError(request, 401, 'this is no management key');
    return;
  }
  answerJson(request, 200, { data: { account: accountOf(request.bearer), is_management: true } });
}
