import { z } from 'zod';
import { participantKeypair } from '../../apps/world/participants/keys.ts';
import { encodeSignature } from '../../infra/crypto/hex.ts';
import type { Keypair } from '../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';
import { randomId } from '../../infra/ids/ids.ts';
import { inParallel } from '../support/in-parallel.ts';
import { HttpConnection } from './http-connection.ts';
import type { Auth, GeneratorPlan } from './stage.ts';

export interface CrowdMember {
  readonly hotkey: string;
  readonly keypair: Keypair;
  /** A header line, or nothing. */
  readonly from: string;
  bearer: string;
}

type CrowdPlan = Pick<
  GeneratorPlan,
  'baseUrls' | 'hasNoSessions' | 'isProxied' | 'seed' | 'validators'
>;

/** So many registered validators, each with a session. */
export async function gatherCrowd(plan: CrowdPlan): Promise<readonly CrowdMember[]> {
  const members = Array.from({ length: plan.validators }, (_, index): CrowdMember => {
    const keypair = participantKeypair(plan.seed, 'validator', index);
    const from = plan.isProxied === true ? `x-forwarded-for: ${addressOf(index)}\r\n` : '';
    return { hotkey: encodeHotkey(keypair.publicKey), keypair, from, bearer: '' };
  });
  if (plan.hasNoSessions === true) return members;
  await inParallel(8, members, async (member, index) => {
    const url = plan.baseUrls[index % plan.baseUrls.length] ?? '';
    member.bearer = await openSession(url, member);
  });
  return members;
}

/** The header lines that prove who asks. Signed ones hold for a minute and for one request. */
export function credentials({ hotkey, keypair, from, bearer }: CrowdMember, auth: Auth): string {
  if (auth === 'session') return `${from}authorization: Bearer ${bearer}\r\n`;
  if (auth === 'none') return `${from}x-hotkey: ${hotkey}\r\n`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomId();
  const signature = sign(keypair, `${hotkey}:${timestamp}:${nonce}`);
  return (
    `${from}x-hotkey: ${hotkey}\r\nx-timestamp: ${timestamp}\r\n` +
    `x-nonce: ${nonce}\r\nx-signature: ${signature}\r\n`
  );
}

const challengeAnswer = z.object({ challenge: z.string() });
const sessionAnswer = z.object({ session_token: z.string() });

/** In 198.18.0.0/15, which is for benchmarks. */
function addressOf(index: number): string {
  return `198.18.${index >> 8}.${index & 255}`;
}

async function openSession(
  baseUrl: string,
  { hotkey, keypair, from }: CrowdMember,
): Promise<string> {
  const connection = new HttpConnection(baseUrl);
  const post = async (path: string, json: object): Promise<unknown> => {
    const { status, body } = await connection.send('POST', path, {
      head: from,
      body: JSON.stringify(json),
    });
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${body}`);
    return JSON.parse(body);
  };
  const { challenge } = challengeAnswer.parse(await post('/v1/auth/challenge', { hotkey }));
  const proof = { hotkey, challenge, signature: sign(keypair, challenge) };
  const { session_token: token } = sessionAnswer.parse(await post('/v1/auth/session', proof));
  connection.close();
  return token;
}

function sign(keypair: Keypair, text: string): string {
  return encodeSignature(keypair.sign(Buffer.from(text)));
}
