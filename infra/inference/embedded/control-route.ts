import { behaviourPatch } from './behaviour.ts';
import {
  answerError,
  answerJson,
  jsonBody,
  type StandIn,
  type StandInRequest,
} from './stand-in-request.ts';

/**
 * `PUT /control` tells a stand-in how to behave, `DELETE` brings back a good day, `GET` says what it
 * does and has seen. Not of any provider: for those who rehearse with one.
 */
export function control({ behaviour, counts }: StandIn, request: StandInRequest): void {
  const { method, headers } = request.message;
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  // A web page may post plain text to any address of this machine, but no JSON without asking first.
  const isKnown = method === 'GET' || method === 'DELETE' || (method === 'PUT' && isJson);
  if (!isKnown) {
    answerError(request, 405, 'GET, PUT with JSON, or DELETE');
    return;
  }
  const parsed = method === 'PUT' ? behaviourPatch.safeParse(jsonBody(request)) : undefined;
  if (parsed?.success === false) {
    answerError(request, 422, parsed.error.message);
    return;
  }
  if (parsed !== undefined) behaviour.set(parsed.data);
  if (method === 'DELETE') behaviour.heal();
  answerJson(request, 200, { behaviour: behaviour.now, counts });
}
