import type { ServiceBus } from '../../infra/ports/bus.ts';
import { faultOf } from '../outage.ts';

/** Says that a neighbour is away, so that the asker repeats; else it would hear of a defect. */
export function namingOutages(bus: ServiceBus): ServiceBus {
  return {
    serve: (service, handle) =>
      bus.serve(service, async (request) => {
        try {
          return await handle(request);
        } catch (error) {
          const fault = faultOf(error);
          throw fault.code === 'INTERNAL_ERROR' ? error : fault;
        }
      }),
  };
}
