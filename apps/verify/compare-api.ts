import type { RaceBundle } from '../../machines/race/bundle.ts';
import { compareDiscards } from './compare-discards.ts';
import { compareLeftOut } from './compare-left-out.ts';
import { compareRacePage } from './compare-race-page.ts';
import { compareClose } from './compare-times.ts';
import { compareTop } from './compare-top.ts';
import { compareWindow } from './compare-window.ts';
import type { Comparison } from './difference.ts';
import { readRacePage } from './race-page.ts';
import type { Service } from './whole-answer.ts';

/** Compares what the public pages say of a race, and of what it was measured by, with its bundle. */
export async function compareApi(
  service: Service,
  bundle: RaceBundle,
  to: Comparison,
): Promise<void> {
  const page = await readRacePage(service, bundle.race.race_id);
  compareRacePage(page, bundle, to);
  await compareClose(service, bundle, to);
  await compareLeftOut(service, bundle, to);
  await compareWindow(service, bundle, to);
  await compareTop(service, bundle, to);
  await compareDiscards({ service, bundle, page }, to);
}
