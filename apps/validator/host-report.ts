import { cpus, freemem, loadavg, totalmem } from 'node:os';
import type { HostReport } from './run/run-lease.ts';
import type { Sandbox } from './sandbox/find-sandbox.ts';

/** What operators and onlookers see of this machine. */
export function hostReport({ kind, pythonVersion }: Sandbox): HostReport {
  const [load = 0] = loadavg();
  return {
    service_versions: { validator: validatorVersion, sandbox: kind, python: pythonVersion },
    cpu_pct: percent(load / Math.max(1, cpus().length)),
    ram_pct: percent(1 - freemem() / totalmem()),
  };
}

const validatorVersion = '1';

function percent(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
}
