// Each module has its own settings, and so its own service.
import './inference-auth.ts';
import './inference-models.ts';
import './inference-names.ts';
import './inference-switched-off.ts';
import './inference-token.ts';
import './repeated-credentials.ts';
