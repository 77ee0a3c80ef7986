/** Strict sr25519. Never throws on any bytes; answers false for weak keys and malformed input. */
export interface SignatureVerifier {
  /**
   * `publicKey` 32 bytes, `signature` 64 bytes; the message's exact bytes. Off the event loop. What is
   * urgent goes before all that is not.
   */
  verify(
    message: Uint8Array,
    signature: Uint8Array,
    publicKey: Uint8Array,
    options?: { readonly isUrgent: boolean },
  ): Promise<boolean>;
}
