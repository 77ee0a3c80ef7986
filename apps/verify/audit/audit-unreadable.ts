/** The log could not be read, so nothing is known of it; the message is for a person. */
export class AuditUnreadable extends Error {
  override name = 'AuditUnreadable';
}
