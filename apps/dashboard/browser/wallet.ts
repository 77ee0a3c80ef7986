import type { Session } from '../../cli/client/schemas.generated.ts';
import { ask } from './api.ts';
import { hotkeyOf } from './ss58.ts';

/** As browser wallets of the Substrate world put themselves into a page. */
interface InjectedWallet {
  readonly version?: string;
  readonly enable: (origin: string) => Promise<{
    readonly accounts: {
      readonly get: () => Promise<
        readonly { readonly address: string; readonly name?: string; readonly type?: string }[]
      >;
    };
    readonly signer: {
      readonly signRaw?: (raw: {
        readonly address: string;
        readonly data: string;
        readonly type: 'bytes';
      }) => Promise<{ readonly signature: string }>;
    };
  }>;
}

export interface WalletAccount {
  readonly wallet: string;
  readonly name: string;
  /** As the wallet has it, in whatever network's spelling. */
  readonly address: string;
  /** The same key as the service spells it. */
  readonly hotkey: string;
}

export function walletNames(): readonly string[] {
  return Object.keys(injected());
}

function injected(): Readonly<Record<string, InjectedWallet>> {
  const found: unknown = Reflect.get(window, 'injectedWeb3');
  return typeof found === 'object' && found !== null
    ? (found as Record<string, InjectedWallet>)
    : {};
}

async function opened(name: string) {
  const wallet = injected()[name];
  if (wallet === undefined) throw new Error(`The wallet ${name} is not there any more.`);
  return await wallet.enable('Paddock');
}

/** Those whose key the service can check: sr25519 alone. */
export async function accountsOf(name: string): Promise<readonly WalletAccount[]> {
  const { accounts } = await opened(name);
  return (await accounts.get()).flatMap(({ address, name: called, type }) => {
    const hotkey = type === undefined || type === 'sr25519' ? hotkeyOf(address) : undefined;
    return hotkey === undefined ? [] : [{ wallet: name, name: called ?? '', address, hotkey }];
  });
}

/** The wallet asks its owner; what it signs is the service's challenge, good for one use and a minute. */
export async function signIn({ wallet, address, hotkey }: WalletAccount): Promise<Session> {
  const { signer } = await opened(wallet);
  if (signer.signRaw === undefined) throw new Error('This wallet cannot sign texts.');
  const { challenge } = await ask<{ readonly challenge: string }>('/v1/auth/challenge', {
    method: 'POST',
    body: { hotkey },
  });
  const data = hexOf(new TextEncoder().encode(challenge));
  const { signature } = await signer.signRaw({ address, data, type: 'bytes' });
  return await ask<Session>('/v1/auth/session', {
    method: 'POST',
    body: { hotkey, challenge, signature },
  });
}

export async function signOut(token: string): Promise<void> {
  await ask('/v1/auth/logout', { method: 'POST', token });
}

function hexOf(bytes: Uint8Array): string {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
