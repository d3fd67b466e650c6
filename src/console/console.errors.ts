import { notFound, unavailable } from '../1-platform/common/answers/problem';

export const notBuilt = () =>
  unavailable(
    'console_not_built',
    'The console was not built: run "npm run console:build", and start the service again.',
  );

export const assetNotFound = () => notFound('asset_not_found', 'The console has no such file. Load its page again.');
