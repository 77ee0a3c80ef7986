import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const shots = process.env['SHOTS'];

const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export interface Look {
  readonly colorScheme?: 'dark' | 'light';
  readonly width?: number;
}

/** A real Chromium with a profile of its own. */
export async function openBrowser(look: Look = {}): Promise<BrowserContext & AsyncDisposable> {
  if (!existsSync(executablePath)) {
    throw new Error(
      `No Chromium at ${executablePath}: "apt-get install chromium" brings one, or name yours in CHROMIUM.`,
    );
  }
  const profile = await mkdtemp(join(tmpdir(), 'paddock-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath, headless: true, args: quiet },
    viewport: { width: look.width ?? 1280, height: 900 },
    colorScheme: look.colorScheme ?? 'light',
  });
  // It says that something never happens: 100 MB are read in seconds, and in many on a crowded machine.
  context.setDefaultTimeout(60_000);
  return Object.assign(context, {
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  });
}

/** What a page says that it should not: errors of its scripts, and refusals of its policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  return complaints;
}

/** @param rules all unless told; each costs a walk through the page */
export async function barriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's own policy lets no script in; the debugger's door is none of the page's.
  await page.evaluate(axe.source);
  const options = rules === undefined ? '' : JSON.stringify({ runOnly: rules });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

export async function keepShot(page: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}
