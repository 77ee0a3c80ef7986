// Each module starts a service of its own, for they differ in the lengths of their leases.
import './claiming-after-silence.ts';
import './fault-attribution.ts';
import './run-lease.ts';
