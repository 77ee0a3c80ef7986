import type { RaceBundle } from '../../machines/race/bundle.ts';
import { compareDiscards } from './compare-discards.ts';
import { compareLeftOut } from './compare-left-out.ts';
import { compareRacePage } from './compare-race-page.ts';
import { compareTop } from './compare-top.ts';
import { compareWindow } from './compare-window.ts';
import type { Comparison } from './difference.ts';
import { readRacePage } from './race-page.ts';

/** Compares what the public pages say of a race, and of what it was measured by, with its bundle. */
export async function compareApi(url: string, bundle: RaceBundle, to: Comparison): Promise<void> {
  const page = await readRacePage(url, bundle.race.race_id);
  compareRacePage(page, bundle, to);
  await compareLeftOut(url, bundle, to);
  await compareWindow(url, bundle, to);
  await compareTop(url, bundle, to);
  await compareDiscards({ url, bundle, page }, to);
}
