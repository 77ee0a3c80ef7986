import { join } from 'node:path';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import { signedClient } from '../../../apps/world/participants/signed-client.ts';
import { submitAgent } from '../../../apps/world/participants/simulated-miner.ts';
import { worldSecrets } from '../../../apps/world/secrets.ts';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { signalProcess } from '../../support/coordinator-faults.ts';
import { openSuite, registerKeys } from '../../support/service-world.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { startProxy, type TcpProxy } from '../net/proxy.ts';
import { type ChaosProcess, type ChaosWorld, startChaosWorld } from '../world/chaos-world.ts';
import { Panel } from './panel.ts';

/** A service at rest, and what an operator has of it. */
export interface DrillWorld {
  readonly service: ChaosWorld;
  readonly panel: Panel;
  /** The way of every process to the chain node. */
  readonly chain: TcpProxy;
  /** A validator that was never seen before. */
  newValidator(): Promise<SignedClient>;
  newMiner(): Promise<SignedClient>;
  /** A version that waits for validators; its id. */
  submit(miner: SignedClient): Promise<string>;
  process(name: string): ChaosProcess;
  coordinators(): readonly ChaosProcess[];
  /** Kills it, and it stays dead until it is started again. */
  kill(name: string): void;
  startAgain(name: string): void;
}

/** Seconds instead of minutes, so that an operator's wait is short; the order of things stays. */
const compressedTime = {
  HEARTBEAT_SECONDS: '2',
  LEASE_SECONDS: '8',
  CLAIM_LEASE_SECONDS: '8',
  CHAIN_CACHE_SECONDS: '1',
  WORK_HOLD_FAILURES: '1000000',
  QUALIFYING_THRESHOLD: '0',
  RACE_TASKS: '2',
  LOG_LEVEL: 'info',
};

/** More than the twenty leases below which the expiry brake leaves validators to themselves. */
export const crowd = 24;

export async function startDrillWorld(): Promise<DrillWorld & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const dataDir = join(await temporaryFolder(), 'chain');
  const node = await startEmbeddedChain({ dataDir, netuid: 1, clock: systemClock });
  stack.defer(() => node.stop());
  const chain = stack.adopt(await startProxy(() => node.port), (it) => it.stop());
  const service = stack.use(
    await startChaosWorld({
      ...{ edges: 2, coordinators: 2, onRestart: () => undefined },
      env: { ...compressedTime, CHAIN_RPC_URL: `http://127.0.0.1:${chain.port}` },
    }),
  );
  await openSuite(service, { taskCount: 4, qualifyingCount: 2, requiredSuccesses: crowd });
  const { operatorToken } = await worldSecrets(service.dataDir);
  const kept = stack.move();
  return {
    ...{ service, chain, panel: new Panel(service, operatorToken) },
    ...people(service),
    ...powers(service),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type People = Pick<DrillWorld, 'newMiner' | 'newValidator' | 'submit'>;

function people(service: ChaosWorld): People {
  let people = 0;
  const next = () => {
    people += 1;
    return people;
  };
  const newKey = async (role: 'miner' | 'validator') => {
    const [keypair] = await registerKeys(service, role, { count: 1, seed: next() });
    if (keypair === undefined) throw new Error('no key was registered');
    return signedClient({
      ...{ baseUrls: service.baseUrls, keypair, scheme: 'signed-headers', clock: systemClock },
      // A drill looks at each answer.
      repeat: (ask) => ask(),
    });
  };
  return {
    newMiner: () => newKey('miner'),
    newValidator: () => newKey('validator'),
    async submit(client) {
      const miner = { who: 'miner', client, onEvent: () => undefined };
      const code = `def act(task):\n    return ${next()}\n`;
      const id = await submitAgent(miner, { agentName: 'shopper', code });
      if (id === undefined) throw new Error('the submission was refused');
      return id;
    },
  };
}

type Powers = Pick<DrillWorld, 'coordinators' | 'kill' | 'process' | 'startAgain'>;

function powers({ processes, dead }: ChaosWorld): Powers {
  const named = (name: string) => {
    const found = processes.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    process: named,
    coordinators: () => processes.filter(({ kind }) => kind === 'coordinator'),
    kill(name) {
      dead.hold(name);
      signalProcess(named(name).kept, 'SIGKILL');
    },
    startAgain: (name) => dead.release(name),
  };
}
