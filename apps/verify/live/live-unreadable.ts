/** The database could not be asked, so nothing is known of it; the message is for a person. */
export class LiveUnreadable extends Error {
  override name = 'LiveUnreadable';
}
