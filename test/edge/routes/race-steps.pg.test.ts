// Each module follows one race of its own, in a service that has no other.
import './race-artifacts.ts';
import './race-day.ts';
import './race-feed.ts';
import './race-work.ts';
