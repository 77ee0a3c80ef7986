// The epochs come first: they begin at the time of day.
import './simulated-epochs.ts';
import './clock.ts';
