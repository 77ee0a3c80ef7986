// Each module has its own limits, and so its own service.
import './public-events.ts';
import './webhooks.ts';
