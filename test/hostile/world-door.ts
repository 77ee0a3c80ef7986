import type { ServiceDoor } from '../support/edge.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import type { ServiceWorld } from '../support/service-world.ts';

/** The door of a service that runs as processes. */
export async function worldDoor({ service, neighbours, sql }: ServiceWorld): Promise<ServiceDoor> {
  const { baseUrls, operatorToken } = service;
  const call = caller(baseUrls[0]);
  const bearer = { authorization: `Bearer ${operatorToken}` };
  const operator: ServiceDoor['operator'] = (method, path, { body, headers } = {}) =>
    call(method, path, { body, headers: { ...bearer, ...headers } });
  const register = async (seed: string, role: 'miner' | 'validator') => {
    const key = new TestKey(seed, call);
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    const answer = await operator('PUT', path, { body: { role, stake: 1000 } });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
    return key;
  };
  return {
    ...{ baseUrls: [...baseUrls], call, operator, operatorToken, sql },
    objects: { url: neighbours.s3Endpoint, accessKeyId: '', secretAccessKey: '' },
    stranger: (seed) => new TestKey(seed, call),
    miner: (seed) => register(seed, 'miner'),
    validator: (seed) => register(seed, 'validator'),
  };
}
