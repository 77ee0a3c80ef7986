import { randomHex } from '../../ids/ids.ts';
import { accountOf } from './signed-keys.ts';
import {
  answerError,
  answerJson,
  isCredential,
  type StandIn,
  type StandInRequest,
} from './stand-in-request.ts';

/** As long as such access tokens live: shorter than the longest runs. */
const accessTokenSeconds = 3600;

/** `POST /oauth/token`: an access token for a refresh token, which may be replaced by it. */
export function grantToken(standIn: StandIn, request: StandInRequest): void {
  const form = new URLSearchParams(request.body);
  if (form.get('grant_type') !== 'refresh_token') {
    answerJson(request, 400, { error: 'unsupported_grant_type' });
    return;
  }
  const credential = form.get('refresh_token') ?? '';
  if (!isCredential(standIn, credential)) {
    answerJson(request, 400, { error: 'invalid_grant' });
    return;
  }
  const { behaviour, clock, keys, counts } = standIn;
  const { key } = keys.make({
    account: accountOf(credential),
    expiresAtMs: clock.nowMs() + accessTokenSeconds * 1000,
    limit: null,
  });
  counts.keysMade += 1;
  const { rotates } = behaviour.now;
  if (rotates) behaviour.reject(credential);
  answerJson(request, 200, {
    ...{ access_token: key, token_type: 'Bearer', expires_in: accessTokenSeconds },
    ...(rotates && { refresh_token: `demo-${randomHex(16)}` }),
  });
}

/** `POST /oauth/revoke` (RFC 7009). */
export function revokeToken({ clock, counts, keys }: StandIn, request: StandInRequest): void {
  const token = new URLSearchParams(request.body).get('token');
  if (token === null) {
    answerError(request, 400, 'which token?');
    return;
  }
  const known = keys.read(token, clock.nowMs());
  if (known !== undefined) {
    keys.revoke(known.id);
    counts.keysRevoked += 1;
  }
  answerJson(request, 200, {});
}
