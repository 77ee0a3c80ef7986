import { closeAtOnce, listenOnLoopback, loopback } from '../../local/loopback.ts';
import { ChainState, type ChainStateOptions } from './chain-state.ts';
import { methodsOf } from './methods.ts';
import { createRpcServer } from './rpc-server.ts';

export interface EmbeddedChainOptions extends ChainStateOptions {
  /** Any free one by default. */
  readonly port?: number;
}

export interface EmbeddedChain {
  readonly url: string;
  readonly port: number;
  /** Resolves when the last change is on disk and no connection is left. */
  stop(): Promise<void>;
}

/** A Substrate node as far as the project asks one, with a subnet that operators fill themselves. */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const state = await ChainState.open(options);
  const server = createRpcServer(methodsOf(state));
  // Who may call may also register hotkeys.
  const port = await listenOnLoopback(server, options.port);
  return {
    url: `http://${loopback}:${port}`,
    port,
    stop: async () => {
      await closeAtOnce(server);
      await state.settled();
    },
  };
}
