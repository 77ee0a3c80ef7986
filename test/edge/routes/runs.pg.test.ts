// One service for all: each test opens a suite of its own, which ends what was before it.
import './claiming.ts';
import './completion.ts';
import './episode-results.ts';
import './progress.ts';
import './faults-under-seal.ts';
import './former-suite.ts';
import './real-clock.ts';
// A race goes on when its suite is replaced: no test on this service may come after it …
import './lost-score.ts';
// … and the other one that closes a race has a service of its own.
import './pins-at-the-close.ts';
