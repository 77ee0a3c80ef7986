import type { Role } from '../endpoint.ts';

export const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'A token of POST /v1/auth/session' },
  operator: { type: 'http', scheme: 'bearer', description: 'A configured operator token' },
  run: { type: 'http', scheme: 'bearer', description: 'The inference token of a claim' },
  hotkey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hotkey',
    description: 'SS58 of the signing key',
  },
  timestamp: { type: 'apiKey', in: 'header', name: 'X-Timestamp', description: 'Unix seconds' },
  nonce: { type: 'apiKey', in: 'header', name: 'X-Nonce', description: 'UUID v4, used once' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'sr25519 over {hotkey}:{timestamp}:{nonce}, 0x and 128 hex digits',
  },
} as const;

const hotkeySecurity = [{ session: [] }, { hotkey: [], timestamp: [], nonce: [], signature: [] }];

/** By whichever one of them the caller likes. */
export const securityByRole: Readonly<Record<Role, { [scheme: string]: string[] }[]>> = {
  public: [],
  miner: hotkeySecurity,
  validator: hotkeySecurity,
  hotkey: hotkeySecurity,
  operator: [{ operator: [] }],
  run: [{ run: [] }],
};
