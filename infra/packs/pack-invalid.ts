/** An archive that is no environment pack; the message says what is wrong and where. */
export class PackInvalid extends Error {
  override name = 'PackInvalid';
}
