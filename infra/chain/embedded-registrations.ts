import {
  type RegistrationParams,
  registrationResult,
  removeRegistrationMethod,
  setRegistrationMethod,
  uidTakenCode,
} from './embedded/registration-method.ts';
import { rpcCodes } from './embedded/rpc-error.ts';
import { callNode, type RpcNode, RpcRefused } from './json-rpc.ts';

/** The node is somebody else's chain, where registrations are bought and not set. */
export class ChainNotEmbedded extends Error {
  override name = 'ChainNotEmbedded';
}

/** Another hotkey holds the uid that was asked for, or all are held. */
export class UidTaken extends Error {
  override name = 'UidTaken';
}

export interface RegistrationChange {
  /** Public keys in lower-case hex, no prefix. */
  readonly hotkey: string;
  readonly role: 'miner' | 'validator';
  /** In the chain's smallest unit. Left out, it stays: 0 for a new hotkey. */
  readonly stake?: bigint | undefined;
  /** Left out, it stays: none for a new hotkey. */
  readonly coldkey?: string | undefined;
  /** Left out, it stays: the next free one for a new hotkey. */
  readonly uid?: number | undefined;
}

export interface EmbeddedRegistration {
  readonly uid: number;
  /** By permit; the service's least stake for validators is not the chain's affair. */
  readonly role: 'miner' | 'validator';
  readonly stake: bigint;
  readonly coldkey: string | null;
}

/**
 * Finds out whether `setRegistration` would be refused, and changes nothing.
 *
 * @throws ChainNotEmbedded, UidTaken, ChainUnavailable
 */
export async function trySetRegistration(
  node: RpcNode,
  { stake, ...rest }: RegistrationChange,
): Promise<void> {
  const change = { ...rest, ...(stake === undefined ? {} : { stake: String(stake) }) };
  await call(node, setRegistrationMethod, { ...change, trial: true });
}

/** @throws ChainNotEmbedded, ChainUnavailable */
export async function tryRemoveRegistration(node: RpcNode, hotkeyHex: string): Promise<void> {
  await call(node, removeRegistrationMethod, { hotkey: hotkeyHex, trial: true });
}

/** @throws ChainNotEmbedded, UidTaken, ChainUnavailable */
export async function setRegistration(
  node: RpcNode,
  { stake, ...rest }: RegistrationChange,
): Promise<EmbeddedRegistration> {
  const change = { ...rest, ...(stake === undefined ? {} : { stake: String(stake) }) };
  const result = registrationResult.parse(await call(node, setRegistrationMethod, change));
  return { ...result, stake: BigInt(result.stake) };
}

/**
 * False when the hotkey was not registered.
 *
 * @throws ChainNotEmbedded, ChainUnavailable
 */
export async function removeRegistration(node: RpcNode, hotkeyHex: string): Promise<boolean> {
  return (await call(node, removeRegistrationMethod, { hotkey: hotkeyHex })) === true;
}

async function call(
  node: RpcNode,
  method: string,
  params: { readonly [Key in keyof RegistrationParams]?: RegistrationParams[Key] | undefined },
): Promise<unknown> {
  try {
    const [result] = await callNode(node, [{ method, params: [params] }]);
    return result;
  } catch (error) {
    throw meaningOf(error);
  }
}

function meaningOf(error: unknown): unknown {
  if (!(error instanceof RpcRefused)) return error;
  if (error.code === rpcCodes.methodNotFound) {
    return new ChainNotEmbedded('the chain node is not the embedded one', { cause: error });
  }
  if (error.code === uidTakenCode) {
    return new UidTaken('another hotkey holds that uid', { cause: error });
  }
  // Our own request was wrong: a defect here, no outage there.
  if (error.code === rpcCodes.invalidParams) return new TypeError(error.message, { cause: error });
  return error;
}
