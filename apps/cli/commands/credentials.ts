import { type Terminal, table } from '../../world/terminal.ts';
import { Refusal, Unanswered } from '../client/refusal.ts';
import type { CredentialListing, CredentialStatus } from '../client/schemas.generated.ts';
import type { Command, Place } from '../command.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { visibleBy } from '../repeatable.ts';
import { whenText } from '../show/moments.ts';
import { UsageError } from '../usage-error.ts';

const provider: Place = { name: 'PROVIDER', says: 'as paddock credentials names it' };
const secrecy = `The credential is asked for and not shown. Without a terminal it is taken from
PADDOCK_CREDENTIAL. It is never an argument, for others on this machine see those.`;

export const credentials: Command = {
  name: 'credentials',
  says: 'Show at which inference providers your agents may ask models',
  examples: [['paddock credentials', 'which are connected, and which one agents use']],
  async run(_asked, { client, out, isJson, clock }) {
    const listing = await client.getMinerInferenceAuth();
    if (isJson) {
      out.line(JSON.stringify(listing, null, 2));
      return exitCodes.done;
    }
    const rows = listing.providers.map((each) => [
      each.provider,
      each.connected ? 'connected' : 'not connected',
      each.provider === listing.default_provider ? 'agents use it' : '',
      each.updated_at === null ? '' : `since ${whenText(each.updated_at, clock.nowMs())}`,
    ]);
    for (const line of table(rows)) out.line(line);
    const advice = adviceOf(listing);
    if (advice !== undefined) out.line(advice);
    return exitCodes.done;
  },
};

export const setCredential: Command = {
  name: 'credentials set',
  says: 'Connect a provider, or store a new credential for it',
  places: [provider],
  more: `${secrecy}\nThe service tries it at the provider before it is stored, and keeps it encrypted.`,
  examples: [['paddock credentials set providera', 'asks for the credential']],
  async run(asked, desk) {
    const request = { provider: asked.place('PROVIDER'), body: { credential: await typed(desk) } };
    const order = desk.client.postMinerInferenceAuthByProvider(request);
    return await toldConnected(await visible(order), desk);
  },
};

export const rotateCredential: Command = {
  name: 'credentials rotate',
  says: 'Replace the credential of a provider that is connected',
  places: [provider],
  more: secrecy,
  examples: [['paddock credentials rotate providera', 'refused where none is stored']],
  async run(asked, desk) {
    const request = { provider: asked.place('PROVIDER'), body: { credential: await typed(desk) } };
    const order = desk.client.postMinerInferenceAuthRotate(request);
    return await toldConnected(await visible(order), desk);
  },
};

export const removeCredential: Command = {
  name: 'credentials remove',
  says: 'Disconnect a provider and forget its credential',
  places: [provider],
  examples: [['paddock credentials remove providera', 'the other one becomes the default']],
  async run(asked, desk) {
    const request = { provider: asked.place('PROVIDER') };
    return told(await visible(desk.client.deleteMinerInferenceAuthByProvider(request)), desk);
  },
};

export const defaultProvider: Command = {
  name: 'credentials default',
  says: 'Choose which connected provider your agents use',
  places: [provider],
  examples: [['paddock credentials default providerb', 'from the next claim on']],
  async run(asked, { client, out, isJson }) {
    const body = { provider: asked.place('PROVIDER') };
    const chosen = await visible(client.patchMinerInferenceAuthDefault({ body }));
    out.line(isJson ? JSON.stringify(chosen) : `Your agents use ${chosen.default_provider} now.`);
    return exitCodes.done;
  },
};

async function visible<T>(order: Promise<T>): Promise<T> {
  return await visibleBy('paddock credentials', order);
}

async function typed({ asking, environment }: Desk): Promise<string> {
  if (environment.credential !== undefined) return environment.credential;
  const credential = await asking.hidden('Credential: ', 'set PADDOCK_CREDENTIAL');
  if (credential === '') throw new UsageError('the credential is empty');
  return credential;
}

/**
 * What keeps the miner's agents from models. A provider that has refused a credential stays the default, as the
 * miner's own choice, and another one that is connected then serves no run (decision record 26).
 */
function adviceOf({ providers, default_provider: chosen }: CredentialListing): string | undefined {
  const connected = providers.filter((each) => each.connected).map(({ provider }) => provider);
  const [other] = connected;
  if (other === undefined)
    return 'Agents that ask models need one: paddock credentials set PROVIDER';
  if (chosen !== null && connected.includes(chosen)) return undefined;
  const now =
    chosen === null
      ? 'Your agents use no provider.'
      : `Your agents still use ${chosen}, which is not connected.`;
  return `${now} Use this one: paddock credentials default ${other}`;
}

/** Says also where what is stored now serves no agent. */
async function toldConnected(status: CredentialStatus, desk: Desk): Promise<ExitCode> {
  const code = told(status, desk);
  if (desk.isJson) return code;
  const listing = await desk.client.getMinerInferenceAuth().catch((error: unknown) => {
    // The order was carried out, and must not seem to have failed.
    if (error instanceof Refusal || error instanceof Unanswered) return undefined;
    throw error;
  });
  const advice = listing && adviceOf(listing);
  if (advice !== undefined) desk.out.line(advice);
  return code;
}

function told(
  status: CredentialStatus,
  { out, isJson }: { readonly out: Terminal; readonly isJson: boolean },
): ExitCode {
  const is = status.connected ? 'connected' : 'not connected any more';
  out.line(isJson ? JSON.stringify(status) : `${status.provider} is ${is}.`);
  return exitCodes.done;
}
