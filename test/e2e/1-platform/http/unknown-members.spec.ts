import { newId } from '../../../../src/1-platform/common/ids';
import { operations, type DescribedOperation } from '../../../support/description';
import { Caller, Service, type Organisation } from '../../../support/service';

const HEADER = 'x-ignored-members';
const UNKNOWN = 'zz_unknown';

/** Their bodies may hold any member, which is stored or passed on. */
const KEPT = [
  'put_host',
  'put_legacy_job',
  'put_legacy_job_checkpoint',
  'put_restore_profile',
  'record_restore_start',
  'record_restore_success',
  'record_restore_error',
];

/** They read their bodies themselves, because these follow other protocols or are passed on to workers. */
const OWN = [
  'create_chat_completion',
  'create_completion',
  'create_embedding',
  'create_response',
  'write_metrics',
  'export_otlp_metrics',
];

/** Reports of machines. Adding one here means that a misspelt member goes unnoticed. */
const IGNORED = [
  'ack_outbox',
  'create_checkpoint',
  'create_slurm_checkpoint',
  'put_checkpoint_info',
  'put_slurm_checkpoint_info',
  'put_worker_endpoint',
  'record_lifecycle_event',
  'record_observation',
  'record_router_metrics',
  'record_router_telemetry',
  'register_artifact',
  'report_activation',
  'report_checkpoint_progress',
  'report_checkpoint_uploaded',
  'report_slurm_checkpoint_uploaded',
  'save_cluster',
  'sync_cluster',
  'sync_cluster_batch',
  'sync_maintenance_windows',
  'sync_slurm_clusters',
  'sync_slurm_jobs',
  'sync_slurm_nodes',
  'sync_slurm_partitions',
  'update_artifact',
  'update_profile_checkpoint',
  'update_workload',
  'upload_action_pod',
];

const withBody = operations().filter(
  ({ method, requestBody }) => ['post', 'put', 'patch'].includes(method) && requestBody !== undefined,
);

const namesIgnored = ({ responses }: DescribedOperation): boolean =>
  Object.values(responses).some(
    (response) => 'X-Ignored-Members' in ((response as { headers?: object }).headers ?? {}),
  );

describe('unknown members of a body', () => {
  let service: Service;
  let org: Organisation;
  let key: Caller;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const made = await org.operator.post('/v1/inference/keys', { name: 'router' });
    key = service.as(made.body.raw_key as string);
  });
  afterAll(() => service.close());

  it('are ignored in the reports listed here, as the description says', () => {
    expect(
      withBody
        .filter(namesIgnored)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(IGNORED);
  });

  it.each(withBody.filter(({ id }) => !OWN.includes(id)).map((operation) => [operation.id, operation] as const))(
    'are handled by %s as it declares',
    async (id, { method, path, roles }) => {
      const target = path.replace(/\{[^}]+\}/g, () => newId());
      const caller = roles.includes('admin') ? service.admin : key;
      const answer = await caller.send(method, target, { [UNKNOWN]: 1 }, {});
      expect([401, 403]).not.toContain(answer.status);
      const errors = ((answer.body as { errors?: { field: string }[] } | undefined)?.errors ?? []).map(
        ({ field }) => field,
      );
      const seen = { refused: errors.includes(UNKNOWN), ignored: answer.headers[HEADER] === UNKNOWN };
      const kept = KEPT.includes(id);
      expect([id, seen]).toEqual([id, { refused: !kept && !IGNORED.includes(id), ignored: IGNORED.includes(id) }]);
    },
  );
});
