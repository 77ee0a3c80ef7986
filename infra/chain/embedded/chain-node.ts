import { once } from 'node:events';
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

/** The only address: who may call may also register hotkeys. */
const host = '127.0.0.1';

/** A Substrate node as far as the project asks one, with a subnet that operators fill themselves. */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const state = await ChainState.open(options);
  const server = createRpcServer(methodsOf(state));
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening on no port');
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    stop: async () => {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
      await state.settled();
    },
  };
}
