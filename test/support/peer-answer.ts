import type { EdgePeers } from '../../infra/ports/edge-peers.ts';
import { until } from './until.ts';

/**
 * What another edge answers, however long the machine takes: who asks has half a second's patience, and
 * no answer then. Where nobody ever answers, this fails.
 */
export async function peerAnswer(peers: EdgePeers, edge: string, question: string) {
  let answer: string | undefined;
  await until(async () => {
    answer = await peers.ask(edge, question);
    return answer !== undefined;
  });
  return answer;
}
