import { publicEvent } from '../../../machines/feed/public-event.ts';

export const publicEventOut = publicEvent.meta({ id: 'PublicEvent' });
