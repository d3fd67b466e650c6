import { bind } from '../../src/1-platform/database/transactions/statement';
import { STATUS } from '../../src/5-traffic/routes/routes.queries';
import { pool, type Work } from './floor';

/** The service's own statement, for the same number of rows. */
const statuses: Work = async ({ org_id: orgId }) => {
  const { rows } = await pool.query(bind(STATUS, { org_id: orgId, lost: '{}', limit: 1_001, offset: 0 }));
  return { status: 200, body: JSON.stringify(rows) };
};

export const routesWork: Record<string, Work> = { '/statuses': statuses };
