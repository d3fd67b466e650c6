import { newId } from '../../../../src/1-platform/common/ids';
import { cluster } from '../../../support/inventory';
import { describeWithSamples, sample } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let clusterId: string;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await cluster(org);
});
afterAll(() => service.close());

const YAML = { 'content-type': 'application/yaml' };
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'train' }, spec: { template: {} } };

async function events(): Promise<{ event_type: string; cluster_id: string; payload: Record<string, unknown> }[]> {
  const { rows } = await service.db.query(
    'select event_type, cluster_id, payload from outbox_events where org_id = $1 order by position',
    [org.id],
  );
  return rows;
}

/** The queued workloads as controllers read them, in the order of their creation. */
async function queued(): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const { payload } of await events())
    rows.push((await org.controller.get(`/v1/cluster/workload/${String(payload.workload_id)}`)).body);
  return rows;
}

const queue = (body: unknown, headers = {}) => org.operator.post('/v1/cluster/workload', body, headers);

describe('POST /v1/cluster/workload', () => {
  it('accepts YAML up to 256 KiB, without types that JSON lacks', async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => `    k${i}: 1`).join('\n');
    const withKeys = (count: number) =>
      `cluster_id: ${clusterId}\njob:\n  metadata: { name: train }\n  spec:\n${keys(count)}\n`;
    const long = withKeys(9_000);
    expect((await queue(long, YAML)).status).toBe(200);
    // One object has at most 10,000 members.
    expect((await queue(withKeys(15_000), YAML)).status).toBe(400);
    expect((await queue(`${long}# ${'x'.repeat(256 * 1024)}`, YAML)).status).toBe(413);
    for (const spec of ['.inf', '!!binary aGVsbG8=', '!!set { a }']) {
      const answer = await queue(`cluster_id: ${clusterId}\njob: { metadata: { name: train }, spec: ${spec} }`, YAML);
      expect([spec, answer.status]).toEqual([spec, 400]);
    }
  });

  it('keeps integers of a YAML manifest digit by digit', async () => {
    const manifest =
      'kind: Job\n  metadata: { name: train, annotations: {} }\n  spec: { seed: 12345678901234567890, parallelism: 3 }';
    await queue(`cluster_id: ${clusterId}\njob:\n  ${manifest}\n`, YAML);
    const { rows } = await service.db.query(
      "select manifest->'spec'->>'seed' as seed, manifest->'spec'->>'parallelism' as parallelism from queued_workloads where org_id = $1",
      [org.id],
    );
    expect(rows).toEqual([{ seed: '12345678901234567890', parallelism: '3' }]);
  });

  it('writes an event that carries ids only, and a workload for the controller to read', async () => {
    const answer = await queue({ cluster_id: clusterId, job });
    expect([answer.status, answer.text]).toEqual([200, 'added to queue']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await events()).toEqual([
      {
        event_type: 'cluster.workload_queued',
        cluster_id: clusterId,
        payload: { workload_id: expect.any(String), cluster_id: clusterId },
      },
    ]);
    expect(await queued()).toEqual([
      {
        id: (await events())[0]?.payload.workload_id,
        cluster_id: clusterId,
        kind: 'job',
        status: 'queued',
        manifest: job,
        created_at: expect.any(String),
        taken_at: null,
        taken_by: null,
        error: null,
      },
    ]);
  });

  it('uses the only cluster of the organisation if none is named', async () => {
    expect((await queue({ job })).status).toBe(200);
    expect((await queue({ cluster_id: null, job })).status).toBe(200);
    expect((await events()).map((event) => event.cluster_id)).toEqual([clusterId, clusterId]);
    await cluster(org, 'another');
    const answer = await queue({ job });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'cluster_id']);
  });

  it('accepts a name, or a prefix for a generated one', async () => {
    const pod = { kind: 'Pod', metadata: { generateName: 'train-' }, spec: {} };
    expect((await queue({ cluster_id: clusterId, pod, job: null, deployment: null })).status).toBe(200);
    // The member determines the kind.
    expect((await queue({ cluster_id: clusterId, deployment: { metadata: { name: 'd' } } })).status).toBe(200);
    expect((await queued()).map(({ kind }) => kind)).toEqual(['pod', 'deployment']);
  });

  it('accepts YAML', async () => {
    const yaml = `
cluster_id: ${clusterId}
job:
  apiVersion: batch/v1
  kind: Job
  metadata: &meta
    name: train
    labels: {yes: "on", "1": on}
  spec:
    template:
      metadata: *meta
      spec:
        containers:
          - name: main
            command: [sh, -c, "echo 'hi' && sleep 0x10"]
            resources: {limits: {nvidia.com/gpu: 8}}
`;
    expect((await queue(yaml, { 'content-type': 'application/yaml; charset=utf-8' })).status).toBe(200);
    const metadata = { name: 'train', labels: { yes: 'on', '1': 'on' } };
    expect((await queued())[0]?.manifest).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        template: {
          metadata,
          spec: {
            containers: [
              {
                name: 'main',
                command: ['sh', '-c', "echo 'hi' && sleep 0x10"],
                resources: { limits: { 'nvidia.com/gpu': 8 } },
              },
            ],
          },
        },
      },
    });
  });

  it('keeps numbers that a double would round', async () => {
    const body = `{"cluster_id":"${clusterId}","job":{"metadata":{"name":"n"},"spec":{"seed":12345678901234567890}}}`;
    expect((await queue(body)).status).toBe(200);
    const { rows } = await service.db.query(
      "select manifest #>> '{spec,seed}' as seed from queued_workloads where org_id = $1",
      [org.id],
    );
    expect(rows).toEqual([{ seed: '12345678901234567890' }]);
  });

  it.each<[string, object, string]>([
    ['nothing to create', {}, 'body'],
    ['only nulls', { job: null, pod: null }, 'body'],
    ['two workloads', { job, pod: { kind: 'Pod', metadata: { name: 'p' } } }, 'body'],
    ['text', { job: 'train' }, 'job'],
    ['a list', { pod: [] }, 'pod'],
    ['a kind that differs from the member', { deployment: job }, 'deployment.kind'],
    ['no name', { job: { kind: 'Job', spec: {} } }, 'job.metadata.name'],
    ['an unknown member', { job, statefulset: {} }, 'statefulset'],
    ['more than 256 KiB', { job: { ...job, spec: { args: 'x'.repeat(256 * 1024) } } }, 'job'],
  ])('refuses %s', async (_case, body, field) => {
    const answer = await queue({ cluster_id: clusterId, ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ field })]);
    expect(await events()).toEqual([]);
  });

  it('answers 404 for an unknown cluster, one of another organisation, and a malformed id', async () => {
    const foreign = await cluster(await service.organisation());
    for (const wrong of [newId(), foreign, 'eu-gpu-1']) {
      const answer = await queue({ cluster_id: wrong, job });
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect(await events()).toEqual([]);
  });

  it.each(['text/yaml', 'text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch+json'])(
    'answers 415 to %s',
    async (type) => {
      const answer = await queue(JSON.stringify({ cluster_id: clusterId, job }), { 'content-type': type });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  it.each([
    ['a bomb of aliases', `a: &a [x,x,x,x,x,x,x,x,x]\n${bomb('a', 'bcdefgh')}job: *h\n`],
    ['an unknown alias', 'job: *nothing\n'],
    ['no YAML', 'job: [unclosed\n'],
    ['two documents', 'job: {metadata: {name: a}}\n---\njob: {metadata: {name: b}}\n'],
    ['a key twice', 'job: {metadata: {name: a}}\njob: {metadata: {name: b}}\n'],
    ['a list', '- job\n'],
    ['text with a character that cannot be stored', 'job: {metadata: {name: "a\\x00"}}\n'],
  ])('refuses %s in YAML', async (_case, yaml) => {
    expect((await queue(yaml, YAML)).status).toBe(400);
    expect(await events()).toEqual([]);
  });

  it('writes the event and the audit entry together, or neither', async () => {
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before insert on audit_entries for each row
        when (new.action = 'create_cluster_workload') execute function refuse()`);
    expect((await queue({ cluster_id: clusterId, job })).status).toBe(500);
    expect(await events()).toEqual([]);
    await service.db.query('drop function refuse cascade');
    expect((await queue({ cluster_id: clusterId, job })).status).toBe(200);
    expect(await events()).toHaveLength(1);
    const { rows } = await service.db.query(
      "select resource_id, details from audit_entries where org_id = $1 and action = 'create_cluster_workload'",
      [org.id],
    );
    expect(rows).toEqual([
      { resource_id: (await events())[0]?.payload.workload_id, details: { cluster_id: clusterId, kind: 'job' } },
    ]);
  });

  it('is not allowed for viewers and controllers', async () => {
    expect((await org.viewer.post('/v1/cluster/workload', { job })).status).toBe(403);
    expect((await org.controller.post('/v1/cluster/workload', { job })).status).toBe(403);
  });
});

describeWithSamples('POST /v1/cluster/workload, with a real deployment', () => {
  it('passes the manifest on unchanged', async () => {
    const deployment = sample('k8s/deployment-vllm.json');
    expect((await queue({ cluster_id: clusterId, deployment })).status).toBe(200);
    expect((await queued())[0]).toMatchObject({ kind: 'deployment', manifest: deployment });
  });
});

/** Each line repeats the previous one nine times. */
function bomb(first: string, names: string): string {
  const all = [first, ...names];
  const line = (name: string, index: number) => `${name}: &${name} [${Array(9).fill(`*${all[index]}`).join(',')}]\n`;
  return [...names].map(line).join('');
}
