import { storageKeys } from '../../../infra/chain/storage-keys.ts';

/** The item that all lists of owned hotkeys are kept under: `0x`, and two hashes of 16 bytes. */
const item = storageKeys.ownedHotkeys(new Uint8Array(32)).slice(0, 2 + 64);

/**
 * A node that answers the question for a coldkey's hotkeys with `each`, or with `whole` every batch that
 * has it.
 */
export function answeringOwned(
  answer: { readonly each: object } | { readonly whole: object },
): typeof fetch {
  return async (url, request) => {
    const calls: { id: number; params: string[] }[] = JSON.parse(String(request?.body));
    const asked = calls.find(({ params: [key] }) => key?.startsWith(item) === true);
    if (asked === undefined) return await fetch(url, request);
    if ('whole' in answer) return Response.json({ jsonrpc: '2.0', id: null, ...answer.whole });
    const answers = (await (await fetch(url, request)).json()) as { id: number }[];
    return Response.json(
      answers.map((each) => (each.id === asked.id ? { id: each.id, ...answer.each } : each)),
    );
  };
}
