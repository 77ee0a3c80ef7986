import { readConfig } from '../../infra/config/config.ts';
import { serve } from '../serve.ts';
import { startEdge } from './edge.ts';

await serve(process, {
  readConfig: () => readConfig(process.env, { process: 'edge' }),
  start: startEdge,
});
