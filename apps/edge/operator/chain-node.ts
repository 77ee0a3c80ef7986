import type { RpcNode } from '../../../infra/chain/json-rpc.ts';
import type { Config } from '../../../infra/config/config.ts';
import type { Clock } from '../../../infra/ports/clock.ts';

// A node on another continent answers within a second; a caller waits for us ten.
const timeoutMs = 3_000;

export function chainNode(config: Config, clock: Clock): RpcNode {
  return { url: config.chainRpcUrl, timeoutMs, clock };
}
