import type { z } from 'zod';

/**
 * What a stateless service understands: requests over `svc.<name>`, taken by one instance of a queue
 * group. Field names are the domain's (camelCase); instants are Unix milliseconds of the database's
 * clock.
 */
export interface ServiceContract {
  readonly name: string;
  /** Each of its messages takes milliseconds, and may be begun again while it is still under way. */
  readonly isQuick?: true;
  readonly messages: Readonly<
    Record<string, { readonly request: z.ZodType; readonly reply: z.ZodType }>
  >;
}

export type MessageType<C extends ServiceContract> = keyof C['messages'] & string;
export type RequestOf<C extends ServiceContract, T extends MessageType<C>> = z.output<
  NonNullable<C['messages'][T]>['request']
>;
export type ReplyOf<C extends ServiceContract, T extends MessageType<C>> = z.output<
  NonNullable<C['messages'][T]>['reply']
>;
