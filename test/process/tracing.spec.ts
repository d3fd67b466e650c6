import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { eventually } from '../support/eventually';
import { completes, InferenceWorker } from '../support/inference-worker';
import { ask, Replicas } from '../support/replicas';
import { Caller } from '../support/service';
import { TraceCollector, type CollectedSpan } from '../support/trace-collector';

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.spanId}-01`;

describe('a service with a collector of traces', () => {
  let collector: TraceCollector;
  let worker: InferenceWorker;
  let replicas: Replicas;
  let admin: Caller;

  beforeAll(async () => {
    [collector, worker] = await Promise.all([TraceCollector.start(), InferenceWorker.start()]);
    replicas = await Replicas.start(1, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      LOG_LEVEL: 'info',
      WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}`,
    });
    ({ admin } = replicas.organisation());
  });
  afterAll(async () => {
    await replicas?.close();
    await Promise.all([worker?.close(), collector?.close()]);
  });

  const bearer = () => admin.token!;
  const url = () => replicas.of(0).url;
  const requestSpan = async (requestId: string): Promise<CollectedSpan> => {
    let found: CollectedSpan | undefined;
    await eventually(() => {
      found = collector.spans.find(({ attributes }) => attributes['ccp.request_id'] === requestId);
      expect(found).toBeDefined();
    });
    return found!;
  };
  const childrenOf = ({ spanId }: CollectedSpan) => collector.spans.filter(({ parentId }) => parentId === spanId);

  it('continues the trace of its caller, with its statements, under the route and the id of the request', async () => {
    const headers = { authorization: `Bearer ${bearer()}`, traceparent: TRACEPARENT, 'x-request-id': 'traced-1' };
    const answer = await fetch(`${url()}/v1/cluster/count?status=active`, { headers });
    expect(answer.status).toBe(200);

    const span = await requestSpan('traced-1');
    expect(span).toMatchObject({ ...{ traceId: PARENT.traceId, parentId: PARENT.spanId }, kind: 'server' });
    expect(span.name).toBe('GET /v1/cluster/count');
    expect(span.attributes).toMatchObject({ 'http.route': '/v1/cluster/count', 'http.response.status_code': '200' });
    expect(span.attributes['ccp.organisation_id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(span.resource).toMatchObject({
      'service.name': 'checkpoint-control-plane',
      'deployment.environment.name': 'test',
    });
    await eventually(() => expect(childrenOf(span).map(({ name }) => name)).toContain('uow-scope-in-trace'));
    expect(new Set(childrenOf(span).map(({ kind }) => kind))).toEqual(new Set(['client']));
    await eventually(() => {
      const lines = replicas.of(0).process.errors.split('\n');
      const line = lines.find((text) => text.includes('"requestId":"traced-1"')) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ trace_id: PARENT.traceId, span_id: span.spanId });
    });
  });

  it('names the trace of a request in the events that it wrote', async () => {
    const name = 'traced';
    const { text: cluster_id } = await admin.post('/v1/cluster', { cluster_name: name });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: name }, spec: { containers: [] } };
    const body = JSON.stringify({ cluster_id, pod: { ...pod, spec: { containers: [{ name, image: 'busybox' }] } } });
    const answer = await fetch(`${url()}/v1/cluster/workload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer()}`, 'content-type': 'application/json', traceparent: TRACEPARENT },
      body,
    });
    expect(answer.status).toBe(200);
    const { body: events } = await admin.get('/v1/inference/outbox?consumer_id=tests&limit=1000');
    const written = (events as { event_type: string; traceparent?: string }[]).filter(
      ({ event_type }) => event_type === 'cluster.workload_queued',
    );
    expect(written).toHaveLength(1);
    expect(written[0]!.traceparent).toMatch(new RegExp(`^00-${PARENT.traceId}-[0-9a-f]{16}-01$`));
  });

  it('passes the trace on to a worker, and records its address without the query', async () => {
    const org = replicas.organisation();
    const model = await replicas.routeTo([await readyProfile(org, worker)]);
    const key = await createKey(org);
    worker.behaves(completes());
    const reply = await ask(replicas.of(0), key.raw_key, `${CHAT}?signature=secret`, question(model), {
      'x-request-id': 'traced-chat',
      traceparent: TRACEPARENT,
      baggage: 'customer=4711',
    });
    expect(reply.status).toBe(200);

    const span = await requestSpan('traced-chat');
    let call: CollectedSpan | undefined;
    await eventually(() => {
      call = collector.spans.find(
        ({ traceId, attributes }) => traceId === span.traceId && attributes['url.full']?.includes(worker.host),
      );
      expect(call).toBeDefined();
    });
    expect(worker.requests.at(-1)?.headers.traceparent).toBe(`00-${PARENT.traceId}-${call!.spanId}-01`);
    expect(worker.requests.at(-1)?.headers.baggage).toBeUndefined();
    expect(JSON.stringify(collector.spans)).not.toContain('secret');
    expect(JSON.stringify(collector.spans)).not.toContain(key.raw_key);
  });

  it('records no probes', async () => {
    for (const probe of ['/livez', '/readyz', '/metrics']) await fetch(`${url()}${probe}`);
    await fetch(`${url()}/v1/user`, { headers: { authorization: `Bearer ${bearer()}`, 'x-request-id': 'after' } });
    await requestSpan('after');
    expect(
      collector.spans.filter(({ attributes }) => /^\/(livez|readyz|metrics)/.test(attributes['url.path'] ?? '')),
    ).toEqual([]);
  });

  it('serves and stops while the collector is down', async () => {
    const unreached = await Replicas.start(1, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', LOG_LEVEL: 'warn' });
    try {
      const { admin: other } = unreached.organisation();
      expect((await other.get('/v1/user')).status).toBe(200);
      const { process: started } = unreached.of(0);
      process.kill(started.process.pid!, 'SIGTERM');
      expect(await started.exit).toBe(0);
    } finally {
      await unreached.close();
    }
  });
});

it('a service without a collector loads nothing of OpenTelemetry but its interface', async () => {
  const replicas = await Replicas.start(1, { NODE_DEBUG: 'module', OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  try {
    const loaded = replicas.of(0).process.errors.match(/@opentelemetry\/[\w-]+/g) ?? [];
    expect(new Set(loaded)).toEqual(new Set(['@opentelemetry/api']));
  } finally {
    await replicas.close();
  }
});
