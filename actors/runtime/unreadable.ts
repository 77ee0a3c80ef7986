import type { Command } from './partition-actor.ts';

/**
 * A durable message whose shape the reader does not know, as after an upgrade or a way back. A defect and
 * no refusal: a refusal is final and would consume the message, and what it tells would never happen.
 * This one comes again, and is set aside in the open after its last delivery.
 */
export function unreadable({ type, id }: Pick<Command, 'id' | 'type'>, says: string): Error {
  return new Error(`the message ${type} ${id} cannot be read: ${says}`);
}
