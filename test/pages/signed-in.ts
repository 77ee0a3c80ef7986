import type { Page } from 'playwright-core';
import type { TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';

type Desk = Pick<TestService, 'baseUrl' | 'operatorToken'>;

export async function signInAsOperator(page: Page, { baseUrl, operatorToken }: Desk) {
  await page.goto(`${baseUrl}/app/operator`);
  await page.getByLabel('Operator’s token').fill(operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('navigation', { name: 'Operator’s views' }).waitFor();
}

export async function chooseView(page: Page, view: string): Promise<void> {
  await page.getByRole('button', { name: view, exact: true }).click();
}

/** A wallet of the browser with two accounts, of which the service can check one. */
export async function plantWallet(page: Page, owner: TestKey): Promise<void> {
  // Wallets wrap what they sign, so that no transaction can be signed this way.
  await page.exposeFunction('signInWallet', (hex: string) =>
    owner.sign(`<Bytes>${Buffer.from(hex.slice(2), 'hex').toString()}</Bytes>`),
  );
  await page.addInitScript(`window.injectedWeb3 = { 'test-wallet': { version: '1', enable: async () => ({
    accounts: { get: async () => [
      { address: '${owner.hotkey}', name: 'mine', type: 'sr25519' },
      { address: '${owner.hotkey}', name: 'of another kind', type: 'ed25519' },
    ] },
    signer: { signRaw: async ({ data }) => ({ signature: await window.signInWallet(data) }) },
  }) } }`);
}

export async function signInByWallet(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/app/account`);
  await page.getByRole('button', { name: 'Use test-wallet' }).click();
  await page.getByRole('button', { name: 'Sign in as mine' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
