/** Said to all when the feed has grown; whoever misses it finds out by looking. Body: {}. */
export const publicEventsSignal = 'public-events';
