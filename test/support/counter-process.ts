import { startHost } from './counter-host.ts';

// One host as a process of its own, to be killed and frozen: counter-process.ts SETUP, as JSON.
const running = await startHost(JSON.parse(process.argv[2] ?? '{}'));
process.on('SIGTERM', () => {
  void running.close().then(() => process.exit(0));
});
process.send?.('ready');
