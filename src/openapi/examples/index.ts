// Written by npm run openapi:examples, from replies of a running service.
import { PLATFORM } from './platform';
import { INVENTORY } from './inventory';
import { CHECKPOINTING } from './checkpointing';
import { SERVING } from './serving';
import { TRAFFIC } from './traffic';
import { INSIGHT } from './insight';
import { CLOUD } from './cloud';
import { SHARED } from './shared';

export const EXAMPLES = { ...PLATFORM, ...INVENTORY, ...CHECKPOINTING, ...SERVING, ...TRAFFIC, ...INSIGHT, ...CLOUD };
export { SHARED };
