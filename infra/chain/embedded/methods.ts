import { z } from 'zod';
import type { ChainState } from './chain-state.ts';
import {
  hotkeyParams,
  registrationParams,
  removeRegistrationMethod,
  setRegistrationMethod,
} from './registration-method.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import { pageOfKeys, removeRegistration, setRegistration } from './subnet.ts';

export type Method = (params: unknown) => Promise<unknown> | unknown;

const hex = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .toLowerCase();
/** A block's hash may follow on a real node; only the newest block is known here. */
const newest = z.null().optional();
const keyParams = z.tuple([hex, newest]);
/** 1000 keys in a page is what Substrate allows. */
const pageParams = z.tuple([hex, z.int().min(0).max(1000), hex.nullish(), newest]);

const zeroHash = `0x${'0'.repeat(64)}`;

/** Substrate's names and shapes for what is read, the project's own for what changes. */
export function methodsOf(chain: ChainState): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ['state_getStorage', (params) => chain.storage.get(parse(keyParams, params)[0]) ?? null],
    [
      'state_getKeysPaged',
      (params) => {
        const [prefix, count, startKey] = parse(pageParams, params);
        return pageOfKeys(chain.storage, { prefix, count, startKey: startKey ?? '' });
      },
    ],
    [
      'chain_getHeader',
      (params) => {
        parse(z.tuple([newest]), params);
        return headerOf(chain.blockNumber());
      },
    ],
    [
      setRegistrationMethod,
      (params) => {
        const [registration] = parse(registrationParams, params);
        const make = registration.trial === true ? chain.attempt : chain.change;
        return make.call(chain, (storage, at) => setRegistration(storage, at, registration));
      },
    ],
    [
      removeRegistrationMethod,
      (params) => {
        const [{ hotkey, trial }] = parse(hotkeyParams, params);
        const make = trial === true ? chain.attempt : chain.change;
        return make.call(chain, (storage, { netuid }) =>
          removeRegistration(storage, netuid, hotkey),
        );
      },
    ],
  ]);
}

/** No block is ever made here, so a header has a number and no hashes. */
function headerOf(blockNumber: number) {
  return {
    number: `0x${blockNumber.toString(16)}`,
    parentHash: zeroHash,
    stateRoot: zeroHash,
    extrinsicsRoot: zeroHash,
    digest: { logs: [] },
  };
}

function parse<Params>(schema: z.ZodType<Params>, params: unknown): Params {
  const parsed = schema.safeParse(params ?? []);
  if (parsed.success) return parsed.data;
  throw new RpcError(rpcCodes.invalidParams, z.prettifyError(parsed.error));
}
