import { readConfig } from '../../infra/config/config.ts';
import { serve } from '../serve.ts';
import { startCoordinator } from './coordinator.ts';

await serve(process, {
  readConfig: () => readConfig(process.env, { process: 'coordinator' }),
  start: startCoordinator,
});
