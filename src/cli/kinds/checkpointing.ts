import type { Schemas, Service } from '../api/service';
import { age, bytes, duration, NONE, text } from '../output/figures';
import type { Cell } from '../output/table';
import { state } from '../output/tones';
import { ATTEMPT_HEAD, attemptRow, attemptsOf, bytesOf, STAGE_HEAD, stageRow, tookOf, workloadOf } from './attempts';
import { CLUSTER, match, NAMESPACE, STATUS } from './filters';
import { factsOf, kind, type Column, type Details, type Section } from './kind';

type Checkpoint = Schemas['CheckpointListItemView'];

const CHECKPOINT_COLUMNS: readonly Column<Checkpoint>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'NAMESPACE', cell: ({ namespace }) => text(namespace) },
  { head: 'POD', cell: ({ pod_name }) => text(pod_name) },
  { head: 'CONTAINER', cell: ({ container_name }) => text(container_name) },
  { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  { head: 'DELTA', cell: ({ delta }) => (delta ? 'yes' : 'no'), wide: true },
  { head: 'GPU', cell: ({ gpu }) => text(gpu), wide: true },
  { head: 'PLATFORM', cell: ({ platform }) => text(platform), wide: true },
  { head: 'ACTION', cell: ({ action_id }) => text(action_id), wide: true },
];

const CHECKPOINT_STATUS = {
  ...STATUS,
  choices: ['initializing', 'updated_info', 'possibly_uploaded', 'ready', 'deprecated'],
} as const;

const checkpoints = kind({
  name: 'checkpoint',
  plural: 'checkpoints',
  aliases: ['cp'],
  about: 'checkpoints of containers and Slurm jobs, newest first',
  operation: 'list_checkpoints',
  path: '/v1/checkpoints',
  filters: [CLUSTER, { flags: '--name <name>', parameter: 'exact_name', about: 'with this name' }, CHECKPOINT_STATUS],
  byId: 'ids',
  byName: 'exact_name',
  findsWholeNames: true,
  columns: CHECKPOINT_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  namespace: ({ namespace }) => namespace,
  details: async (service, row, now) => {
    const [fact, action] = await Promise.all([findAttempt(service, row.id), findAction(service, row.action_id)]);
    return {
      facts: [
        ...factsOf(CHECKPOINT_COLUMNS, row, now),
        ['parent', text(row.parent_checkpoint_id)],
        ['checksum', text(row.checksum)],
        ['restorable', whyNot(row, action)],
        ...(fact ? attemptFacts(fact, now) : []),
      ],
      sections: fact ? attemptSections(fact, now) : [],
      document: { checkpoint: row, action: action ?? null, operation: fact ?? null },
    };
  },
});

/** Whether it can be restored, and if not, why. */
function whyNot({ status }: Checkpoint, action: Schemas['ActionDetailsView'] | undefined): Cell {
  if (status === 'deprecated')
    return { text: `no: it is deprecated${action?.error ? `, ${action.error}` : ''}`, tone: 'bad' };
  if (status !== 'ready') return { text: `not yet: it is ${status}`, tone: 'busy' };
  if (action && action.status !== 'ready')
    return {
      text: `in part only: its action is ${action.status}${action.error ? `, ${action.error}` : ''} (--allow-partial)`,
      tone: 'busy',
    };
  return { text: 'yes', tone: 'good' };
}

const findAttempt = (service: Service, id: string): Promise<Schemas['OperationFactDetailView'] | undefined> =>
  service.find('get_operation', (api) => api.GET('/v1/operations/{id}', { params: { path: { id } } }));

const findAction = async (service: Service, id: string | null): Promise<Schemas['ActionDetailsView'] | undefined> =>
  id === null
    ? undefined
    : service.find('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path: { id } } }));

/** A line for what is only sometimes there. */
const when = (value: string | null | undefined, line: (value: string) => [string, Cell]): [string, Cell][] =>
  value ? [line(value)] : [];

const attemptFacts = (fact: Schemas['OperationFactView'], now: number): [string, Cell][] => [
  ['result', state(fact.result)],
  ['workload', workloadOf(fact)],
  ['node', text(fact.node_name)],
  ['began', age(fact.started_at_ms, now)],
  ['took', tookOf(fact)],
  ['workload stood still', duration(fact.pause_ns)],
  ['bytes', `${bytes(fact.physical_bytes)} of ${bytes(fact.logical_bytes)}`],
  ['storage tier', text(fact.storage_tier)],
  ...when(fact.failure_reason, (reason): [string, Cell] => ['why it failed', { text: reason, tone: 'bad' }]),
  ...when(fact.failure_stage, (stage): [string, Cell] => ['failed in', stage]),
];

const attemptSections = (fact: Schemas['OperationFactDetailView'], now: number): Section[] => [
  { title: 'Stages', head: STAGE_HEAD, rows: fact.stages.map(stageRow) },
  { title: 'Restores from it', head: ATTEMPT_HEAD, rows: fact.restores.map((restore) => attemptRow(restore, now)) },
];

const SLURM_CHECKPOINT_COLUMNS: readonly Column<Schemas['SlurmCheckpointView']>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'JOB', cell: ({ job_id }) => text(job_id) },
  { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  { head: 'GPU', cell: ({ gpu }) => text(gpu), wide: true },
  { head: 'CLUSTER', cell: ({ cluster_id }) => text(cluster_id), wide: true },
  { head: 'ACTION', cell: ({ action_id }) => text(action_id), wide: true },
];

const slurmCheckpoints = kind({
  name: 'slurm-checkpoint',
  plural: 'slurm-checkpoints',
  about: 'checkpoints of Slurm jobs, newest first',
  operation: 'list_slurm_checkpoints',
  path: '/v1/slurm/checkpoints',
  filters: [
    CLUSTER,
    match('name'),
    { flags: '--job <number>', parameter: 'job_id', about: 'of this job' },
    CHECKPOINT_STATUS,
  ],
  byId: 'ids',
  byName: 'name',
  columns: SLURM_CHECKPOINT_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  details: async (service, row, now) => {
    const fact = await findAttempt(service, row.id);
    return {
      facts: [...factsOf(SLURM_CHECKPOINT_COLUMNS, row, now), ...(fact ? attemptFacts(fact, now) : [])],
      sections: fact ? attemptSections(fact, now) : [],
      document: { checkpoint: row, operation: fact ?? null },
    };
  },
});

const RESTORE_COLUMNS: readonly Column<Schemas['RestoreView']>[] = [
  { head: 'RESTORE', cell: ({ restore_uuid }) => restore_uuid },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'TYPE', cell: ({ workload_type }) => text(workload_type) },
  { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  { head: 'ERROR', cell: ({ error_message }) => text(error_message) },
  { head: 'CHECKPOINT', cell: ({ checkpoint_id }) => text(checkpoint_id), wide: true },
  { head: 'ACTION', cell: ({ action_id }) => text(action_id), wide: true },
];

const restores = kind({
  name: 'restore',
  plural: 'restores',
  about: 'restores that nodes reported, newest first',
  operation: 'list_restores',
  path: '/v1/restores',
  filters: [
    CLUSTER,
    { flags: '--status <status>', parameter: 'status', about: 'started, succeeded or failed' },
    { flags: '--checkpoint <id>', parameter: 'checkpoint_id', about: 'of this checkpoint' },
    { flags: '--action <id>', parameter: 'action_id', about: 'of this request' },
  ],
  byId: 'restore_uuid',
  columns: RESTORE_COLUMNS,
  id: ({ restore_uuid }) => restore_uuid,
  details: async (service, row, now) => {
    const fact = await findAttempt(service, row.restore_uuid);
    return {
      facts: [...factsOf(RESTORE_COLUMNS, row, now), ...(fact ? attemptFacts(fact, now) : [])],
      sections: [
        {
          title: 'Reports',
          head: ['REPORT', 'RECEIVED'],
          rows: row.events.map((event) => [event.kind, age(event.received_at, now)]),
        },
        { title: 'Stages', head: STAGE_HEAD, rows: (fact?.stages ?? []).map(stageRow) },
      ],
      document: { restore: row, operation: fact ?? null },
    };
  },
});

const ACTION_COLUMNS: readonly Column<Schemas['ActionView']>[] = [
  { head: 'ACTION', cell: ({ action_id }) => action_id },
  { head: 'TYPE', cell: ({ type }) => type },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'NODE', cell: ({ node_name }) => text(node_name) },
  { head: 'TOOK', cell: ({ total_duration }) => duration(total_duration) },
  { head: 'BYTES', cell: ({ total_io }) => bytes(total_io) },
  { head: 'AGE', cell: ({ action_timestamp }, now) => age(action_timestamp, now), passing: true },
  { head: 'REASON', cell: ({ reason }) => text(reason), wide: true },
  { head: 'CHECKPOINT', cell: ({ checkpoint_id }) => text(checkpoint_id), wide: true },
];

const actions = kind({
  name: 'action',
  plural: 'actions',
  about: 'requests for checkpoints and restores, newest first',
  operation: 'list_actions',
  path: '/v1/actions',
  filters: [
    {
      flags: '--type <type>',
      parameter: 'type',
      about: 'of this type',
      choices: ['checkpoint_pod', 'restore_pod', 'heartbeat'],
    },
  ],
  byId: 'action_id',
  columns: ACTION_COLUMNS,
  id: ({ action_id }) => action_id,
  details: actionDetails,
});

async function actionDetails(service: Service, row: Schemas['ActionView'], now: number): Promise<Details> {
  const [action, attempts] = await Promise.all([
    findAction(service, row.action_id),
    attemptsOf(service, { action_id: row.action_id }),
  ]);
  const ids = action?.checkpoint_ids ?? [];
  const found =
    ids.length === 0
      ? []
      : await service.send('list_checkpoints', (api) =>
          api.GET('/v1/checkpoints', { params: { query: { ids: ids.join(',') } } }),
        );
  const columns = CHECKPOINT_COLUMNS.filter(({ wide }) => !wide);
  return {
    facts: [
      ...factsOf(ACTION_COLUMNS, row, now),
      ['containers', action?.containers ? action.containers.join(', ') : NONE],
      ['goes on afterwards', row.leave_running === null ? NONE : row.leave_running ? 'yes' : 'no'],
      ['restore path', text(action?.restore_path)],
      ...when(action?.error, (error): [string, Cell] => ['why it failed', { text: error, tone: 'bad' }]),
    ],
    sections: [
      {
        title: 'Checkpoints',
        head: columns.map(({ head }) => head),
        rows: found.map((checkpoint) => columns.map(({ cell }) => cell(checkpoint, now))),
      },
      { title: 'Operations', head: ATTEMPT_HEAD, rows: attempts.map((fact) => attemptRow(fact, now)) },
    ],
    document: { action: action ?? row, checkpoints: found, operations: attempts },
  };
}

const OPERATION_COLUMNS: readonly Column<Schemas['OperationFactView']>[] = [
  { head: 'OPERATION', cell: ({ operation_id }) => operation_id },
  { head: 'TYPE', cell: ({ op_type }) => op_type },
  { head: 'RESULT', cell: ({ result }) => state(result) },
  { head: 'WORKLOAD', cell: workloadOf },
  { head: 'NODE', cell: ({ node_name }) => text(node_name) },
  { head: 'TOOK', cell: tookOf },
  { head: 'BYTES', cell: bytesOf },
  { head: 'BEGAN', cell: ({ started_at_ms }, now) => age(started_at_ms, now), passing: true },
  { head: 'PAUSE', cell: ({ pause_ns }) => duration(pause_ns), wide: true },
  { head: 'TIER', cell: ({ storage_tier }) => text(storage_tier), wide: true },
  { head: 'ACTION', cell: ({ action_id }) => text(action_id), wide: true },
  { head: 'WHY IT FAILED', cell: ({ failure_reason }) => text(failure_reason), wide: true },
];

const operations = kind({
  name: 'operation',
  plural: 'operations',
  aliases: ['op', 'ops'],
  about: 'attempts to checkpoint and to restore that nodes reported, newest first',
  operation: 'list_operations',
  path: '/v1/operations',
  filters: [
    CLUSTER,
    NAMESPACE,
    match('name'),
    { flags: '--type <type>', parameter: 'op_type', about: 'of this type', choices: ['checkpoint', 'restore'] },
    {
      flags: '--result <result>',
      parameter: 'result',
      about: 'with this result',
      choices: ['running', 'succeeded', 'failed', 'fallback'],
    },
    {
      flags: '--workload <type>',
      parameter: 'workload_type',
      about: 'of workloads of this type',
      choices: ['kubernetes', 'slurm'],
    },
    { flags: '--action <id>', parameter: 'action_id', about: 'of this request' },
    { flags: '--since <time>', parameter: 'since', about: 'began then or later: 2h, 3d or a time', reads: 'time' },
    { flags: '--until <time>', parameter: 'until', about: 'began before this time', reads: 'time' },
  ],
  byId: 'operation_id',
  columns: OPERATION_COLUMNS,
  id: ({ operation_id }) => operation_id,
  namespace: ({ namespace }) => namespace,
  details: async (service, row, now) => {
    const fact = await findAttempt(service, row.operation_id);
    return {
      facts: [
        ['operation', row.operation_id],
        ['type', row.op_type],
        ...attemptFacts(fact ?? row, now),
        ['gpu', text(row.gpu_model)],
        ['action', text(row.action_id)],
        ['checkpoint', text(row.checkpoint_id)],
      ],
      sections: fact ? attemptSections(fact, now) : [],
      document: { operation: fact ?? row },
    };
  },
});

export const CHECKPOINTING = [checkpoints, slurmCheckpoints, restores, actions, operations];
