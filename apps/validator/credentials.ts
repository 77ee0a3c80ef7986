import { encodeSignature } from '../../infra/crypto/hex.ts';
import type { Keypair } from '../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';
import { randomId } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { bearer, type Credentials, signedBy } from '../cli/client/credentials.ts';
import { type PaddockClient, paddockClient } from '../cli/client/paddock.generated.ts';
import { sender } from '../cli/client/send.ts';

export interface Identity {
  readonly hotkey: string;
  readonly credentials: Credentials;
  /** What was proved is not believed any more: the next request proves it afresh. */
  forget(): void;
}

export interface ProofOptions {
  readonly baseUrl: string;
  readonly keypair: Keypair;
  readonly clock: Clock;
}

/** Signs every request by itself. */
export function signingIdentity({ keypair, clock }: ProofOptions): Identity {
  const hotkey = encodeHotkey(keypair.publicKey);
  const sign = (text: string) => encodeSignature(keypair.sign(Buffer.from(text)));
  const credentials = signedBy({
    ...{ hotkey, sign, newNonce: randomId },
    nowMs: () => clock.nowMs(),
  });
  return { hotkey, credentials, forget: () => undefined };
}

/** Opens a session at the first need and another one before it ends. */
export function sessionIdentity({ baseUrl, keypair, clock }: ProofOptions): Identity {
  const hotkey = encodeHotkey(keypair.publicKey);
  const sign = (text: string) => encodeSignature(keypair.sign(Buffer.from(text)));
  const open = paddockClient(sender({ baseUrl, clock }));
  let session: Promise<{ readonly token: string; readonly endsMs: number }> | undefined;

  async function opened() {
    const { challenge } = await open.postAuthChallenge({ body: { hotkey } }, { timeoutMs });
    const body = { hotkey, challenge, signature: sign(challenge) };
    const { session_token: token, expires_at: endsAt } = await open.postAuthSession(
      { body },
      { timeoutMs },
    );
    return { token, endsMs: endsAt * 1000 };
  }

  async function credentials() {
    session ??= opened();
    const mine = session;
    try {
      const { token, endsMs } = await mine;
      if (clock.nowMs() < endsMs - renewBeforeMs) return await bearer(token)();
    } catch (error) {
      if (session === mine) session = undefined;
      throw error;
    }
    if (session === mine) session = undefined;
    return await credentials();
  }

  return {
    hotkey,
    credentials,
    forget: () => {
      session = undefined;
    },
  };
}

/** Until each of two is answered, which nothing aborts: a stop waits for them. */
const timeoutMs = 10_000;
// Enough for a request that is already under way, whatever it takes.
const renewBeforeMs = 60_000;

/** Every route by name, as this hotkey; reads are repeated for as long as is told. */
export function serviceClient(
  { baseUrl, clock }: ProofOptions,
  { credentials }: Identity,
  patienceMs: number,
): PaddockClient {
  return paddockClient(
    sender({ baseUrl, clock, credentials: { hotkey: credentials }, patienceMs }),
  );
}
