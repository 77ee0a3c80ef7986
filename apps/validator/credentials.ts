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

/**
 * Opens a session at the first need and another one before it ends. How long that is follows from what the
 * service says alone, for the two clocks may be hours apart.
 */
export function sessionIdentity({ baseUrl, keypair, clock }: ProofOptions): Identity {
  const hotkey = encodeHotkey(keypair.publicKey);
  const sign = (text: string) => encodeSignature(keypair.sign(Buffer.from(text)));
  const open = paddockClient(sender({ baseUrl, clock }));
  let session: { readonly token: string; readonly renewAtMs: number } | undefined;
  let opening: Promise<string> | undefined;

  async function opened(): Promise<string> {
    const askedAtMs = clock.monotonicMs();
    const asked = await open.postAuthChallenge({ body: { hotkey } }, { timeoutMs });
    const { challenge } = asked;
    const body = { hotkey, challenge, signature: sign(challenge) };
    const answer = await open.postAuthSession({ body }, { timeoutMs });
    // A challenge ends a minute after it was asked for: by as much a session is renewed before its end.
    const usableMs = (answer.expires_at - asked.expires_at) * 1000;
    const { session_token: token } = answer;
    session = { token, renewAtMs: askedAtMs + Math.max(usableMs, usableMinMs) };
    return token;
  }

  async function credentials() {
    if (session !== undefined && clock.monotonicMs() < session.renewAtMs)
      return await bearer(session.token)();
    opening ??= opened().finally(() => {
      opening = undefined;
    });
    return await bearer(await opening)();
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
/** One that is over sooner is refused, and forgotten then; to open them by each request would end in a 429. */
const usableMinMs = 10_000;

/** Every route by name, as this hotkey; reads are repeated for as long as is told. */
export function serviceClient(
  { baseUrl, clock }: ProofOptions,
  { credentials }: Identity,
  patienceMs: number,
  onRepeat: (error: unknown) => void = () => undefined,
): PaddockClient {
  return paddockClient(
    sender({ baseUrl, clock, credentials: { hotkey: credentials }, patienceMs, onRepeat }),
  );
}
