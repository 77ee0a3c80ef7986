import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';

/** Tells how many signatures were checked: nothing else that a request asks for costs as much. */
export function countedVerifier(
  verifier: SignatureVerifier,
  telemetry: Pick<Telemetry, 'count'>,
): SignatureVerifier {
  return {
    verify: async (message, signature, publicKey, options) => {
      const isGood = await verifier.verify(message, signature, publicKey, options);
      telemetry.count('paddock.signatures', 1, { isGood });
      return isGood;
    },
  };
}
