import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { invariant } from '../../1-platform/common/invariant';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { ExperimentEnd } from './experiment.states';
import type {
  CreateExperimentBody,
  ExperimentListItemView,
  ExperimentView,
  ListExperimentsQuery,
} from './experiments.dto';

const COLUMNS = `e.id, e.name, e.scenario, e.status, e.started_at, e.parameters, e.profile_id,
  e.completed_at`;

type Row = ExperimentView & QueryResultRow;

const LIST = boundedPage({
  as: 'e',
  found: `
    select * from experiments
    where org_id = $org_id and ($status::text is null or status = $status)
      and ($profile_id::text is null or profile_id = $profile_id)
      and ($name::text is null or name ilike $name or id::text ilike $name)
    order by started_at desc, id desc limit $limit offset $offset`,
  bytes: 'octet_length(e.parameters::text)',
  order: 'e.started_at desc, e.id desc',
  columns: `${COLUMNS}, (
    select count(*) from observations o where o.org_id = $org_id and o.experiment_id = e.id
  ) as observations`,
});

export type ExperimentFilter = Pick<ListExperimentsQuery, 'status' | 'profile_id' | 'name'>;

/** Newest first, with the number of observations that name each. */
export const listExperiments = (
  tx: Tx,
  { status, profile_id: profileId, name }: ExperimentFilter,
  slice: Slice,
): Promise<Page<ExperimentListItemView>> =>
  readPage(
    tx,
    LIST,
    {
      org_id: tx.orgId,
      status: status ?? null,
      profile_id: profileId ?? null,
      name: likeContaining(name),
      ...rowsOf(slice),
    },
    slice,
  );

const GET = `select ${COLUMNS} from experiments e where e.org_id = $org_id and e.id = $id`;

export async function findExperiment(tx: Tx, id: string): Promise<ExperimentView | undefined> {
  const [row] = await tx.query<Row>(GET, { org_id: tx.orgId, id });
  return row;
}

const START = `
  insert into experiments as e (org_id, id, name, scenario, status, parameters, profile_id)
  values ($org_id, $id, $name, $scenario, 'running', $parameters, $profile_id) returning ${COLUMNS}`;

export async function startExperiment(tx: Tx, id: string, body: CreateExperimentBody): Promise<ExperimentView> {
  const { name, scenario, parameters = {}, profile_id: profileId = null } = body;
  const values = {
    org_id: tx.orgId,
    id,
    name,
    scenario,
    parameters: JSON.stringify(parameters),
    profile_id: profileId,
  };
  const [row] = await tx.query<Row>(START, values);
  invariant(row, 'an insert leaves a row');
  return row;
}

const END = `
  update experiments e set status = $status, completed_at = greatest(started_at, clock_timestamp())
  where e.org_id = $org_id and e.id = $id and e.status = 'running' returning ${COLUMNS}`;

/** Only one of several concurrent callers ends it. @returns undefined if it is not running */
export async function endExperiment(tx: Tx, id: string, status: ExperimentEnd): Promise<ExperimentView | undefined> {
  const [row] = await tx.query<Row>(END, { org_id: tx.orgId, id, status });
  return row;
}

/**
 * The running experiment of the profile of `p`, as an expression of SQL: of several, the one that began last.
 * Requests that name no experiment belong to it. The organisation is `$org_id`.
 */
export const RUNNING_EXPERIMENT = `(
      select e.id from experiments e
      where e.org_id = $org_id and e.profile_id = p.profile_id and e.status = 'running'
      order by e.started_at desc, e.id desc limit 1
    )`;

/** Experiments that are over. */
export const OLD_EXPERIMENTS: AgingRows = {
  table: 'experiments',
  at: 'started_at',
  key: { id: 'uuid' },
  unneeded: 'r.completed_at < $before',
};
