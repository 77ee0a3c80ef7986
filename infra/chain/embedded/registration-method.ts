import { z } from 'zod';

/** The embedded node's own methods, which no Subtensor node has. Keys are lower-case hex. */
export const setRegistrationMethod = 'paddock_setRegistration';
export const removeRegistrationMethod = 'paddock_removeRegistration';

const stakeMax = 2n ** 64n - 1n;
const keyHex = z.string().regex(/^[0-9a-f]{64}$/);
// As text, because JSON's numbers are not exact beyond 2^53.
const stakeText = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) <= stakeMax);
const uid = z.int().min(0).max(65_535);
const role = z.enum(['miner', 'validator']);

/** Only says what would come of it. */
const trial = z.boolean().optional();

export const hotkeyParams = z.tuple([z.strictObject({ hotkey: keyHex, trial })]);

/** What is left out stays as it is; for a new hotkey: no stake, no coldkey, the next free uid. */
export const registrationParams = z.tuple([
  z.strictObject({
    hotkey: keyHex,
    role,
    stake: stakeText.optional(),
    coldkey: keyHex.optional(),
    uid: uid.optional(),
    trial,
  }),
]);

export const registrationResult = z.object({
  uid,
  role,
  stake: stakeText,
  coldkey: keyHex.nullable(),
});

export type RegistrationParams = z.infer<typeof registrationParams>[0];
export type RegistrationResult = z.infer<typeof registrationResult>;

/** JSON-RPC leaves -32000 to -32099 to the server. */
export const uidTakenCode = -32_001;
