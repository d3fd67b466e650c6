import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { newId } from '../../src/1-platform/common/ids';
import { Replicas } from '../support/replicas';
import type { Organisation } from '../support/service';
import { expectFigure, printFigures } from '../support/figures';
import { probeDuring } from './probe';
import { MAX_RESIDENT_MIB, peakDuring, residentMib, servicePid } from '../support/resident';

/** What another client may see of the service meanwhile. */
const P99_MS = 100;
const MAX_MS = 250;
const AT_ONCE = 40;
const MAX_TRIES = 60;

interface Attack {
  readonly name: string;
  readonly method?: 'PUT';
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Record<string, string>;
  /** Replies to one request alone. */
  readonly statuses: readonly number[];
}

const brotli = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } });
const GZIPPED = { 'content-encoding': 'gzip' };
const ENCODED = { 'content-encoding': 'br' };
const many = (count: number, element: string | ((place: number) => string)): string =>
  Array.from({ length: count }, (_, place) => (typeof element === 'string' ? element : element(place))).join();

/** A pod as Kubernetes prints it, without the fields that the service ignores: about 1.6 KB. */
const pod = (place: number) => ({
  type: 'Pod',
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: `train-${place}`,
    namespace: `team-${place % 50}`,
    uid: newId(),
    resourceVersion: String(1_000 + place),
    creationTimestamp: '2026-11-20T10:00:00Z',
    labels: { app: 'train', 'pod-template-hash': `5d4f8c7b${place % 100}`, team: `team-${place % 50}` },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `train-5d4f8c7b${place % 100}`,
        uid: newId(),
        controller: true,
      },
    ],
  },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example/train:2026.11',
        args: ['--epochs', '10', '--batch', '256'],
        env: Array.from({ length: 6 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-of-setting-${n}` })),
        resources: {
          limits: { cpu: '8', memory: '64Gi', 'nvidia.com/gpu': '1' },
          requests: { cpu: '4', memory: '32Gi' },
        },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${place}` } }],
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    serviceAccountName: 'default',
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-11-20T10:00:01Z' },
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-20T10:00:09Z' },
    ],
    containerStatuses: [
      { name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: '2026-11-20T10:00:08Z' } } },
    ],
    startTime: '2026-11-20T10:00:02Z',
  },
});

const SAMPLES = '/v1/inference/router/metrics';
const SYNC = '/v1/cluster/sync';
const BATCH = '/v1/cluster/sync/batch';
const ROUTES = '/v1/inference/routes';
const CHAT = '/v1/inference/chat/completions';
const WORKLOAD = '/v1/cluster/workload';
const YAML = { 'content-type': 'application/yaml' };

const attacksOn = (clusterId: string): Attack[] => {
  const route = (targets: string) => `{"logical_model":"m","mode":"priority","targets":[${targets}]}`;
  const sync = (value: string) => `{"cluster_id":"${clusterId}","resource":{"type":"None","x":${value}}}`;
  const samples = `{"samples":[${many(2_900_000, '{}')}]}`;
  const unknown = many(120, (place) => `"member_${place}":1`);
  const numbers = sync(`[${many(740_000, '1234567890123456789')}]`);
  const keys = sync(`{${many(2_000_000, (place) => `"key${place}":1`)}}`);
  const chat = `{"model":"m","messages":[${many(2_990_000, '[]')}]}`;
  const pods = JSON.stringify({ cluster_id: clusterId, resources: Array.from({ length: 20_000 }, (_, n) => pod(n)) });
  const yaml = (text: string) => Buffer.from(text);
  const plain = (text: string) => Buffer.from(text);
  const targets = route(many(345_000, '{}'));
  return [
    {
      name: '2.9 million empty samples, brotli',
      path: SAMPLES,
      body: brotli(samples),
      headers: ENCODED,
      statuses: [413],
    },
    { name: '2.9 million empty samples', path: SAMPLES, body: plain(samples), statuses: [400] },
    {
      name: '10,000 samples of 120 unknown members',
      path: SAMPLES,
      body: plain(`{"samples":[${many(10_000, `{${unknown}}`)}]}`),
      statuses: [400],
    },
    {
      name: '10,000 empty samples',
      path: SAMPLES,
      body: plain(`{"samples":[${many(10_000, '{}')}]}`),
      statuses: [400],
    },
    {
      name: '345,000 empty targets, brotli',
      path: ROUTES,
      body: brotli(targets),
      headers: ENCODED,
      statuses: [400, 413],
    },
    { name: '345,000 empty targets', path: ROUTES, body: plain(targets.slice(0, 1_048_570)), statuses: [400] },
    { name: '740,000 long numbers, brotli', path: SYNC, body: brotli(numbers), headers: ENCODED, statuses: [413] },
    { name: '740,000 long numbers', path: SYNC, body: plain(numbers), statuses: [400] },
    { name: '2 million different keys', path: SYNC, body: plain(keys), statuses: [400] },
    {
      name: 'host of 299,000 values and an escaped emoji, 643 bytes of gzip',
      method: 'PUT',
      path: '/v1/hosts/x',
      body: gzipSync(`{"a":[${many(299_000, '1')},"\\ud83d\\ude00"]}`),
      headers: GZIPPED,
      statuses: [400],
    },
    {
      name: 'sync of one object of 299,000 values and an escaped emoji',
      path: SYNC,
      body: gzipSync(sync(`[${many(299_000, '1')},"\\ud83d\\ude00"]`)),
      headers: GZIPPED,
      statuses: [200],
    },
    {
      name: 'batch of one object of 3.9 million values and an escaped emoji',
      path: BATCH,
      body: plain(
        `{"cluster_id":"${clusterId}","resources":[{"type":"None","x":[${many(3_900_000, '1')},"\\ud83d\\ude00"]}]}`,
      ),
      statuses: [200],
    },
    { name: 'chat of 2.99 million empty arrays', path: CHAT, body: plain(chat), statuses: [400, 404] },
    {
      name: 'YAML of 255 KB of []',
      path: WORKLOAD,
      body: yaml(`a: [${many(85_000, '[]')}]`),
      headers: YAML,
      statuses: [400],
    },
    {
      name: 'YAML of 180 KB of tabs',
      path: WORKLOAD,
      body: yaml('\t'.repeat(180_000)),
      headers: YAML,
      statuses: [400],
    },
    { name: 'YAML of 120 KB of }', path: WORKLOAD, body: yaml('}'.repeat(120_000)), headers: YAML, statuses: [400] },
    { name: 'a sync of 20,000 pods', path: BATCH, body: plain(pods), statuses: [200] },
  ];
};

describe('small bodies that are costly to read', () => {
  let replicas: Replicas;
  let org: Organisation;
  let attacks: Attack[];
  let pid: string;
  let url: string;

  beforeAll(async () => {
    replicas = await Replicas.start(1);
    org = replicas.organisation();
    url = replicas.of(0).url;
    pid = servicePid(replicas.of(0).process);
    attacks = attacksOn((await org.operator.post('/v1/cluster', { cluster_name: 'main' })).text);
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  /** @returns the status; 0 if the connection was closed before a reply */
  const send = ({ method, path, body, headers }: Attack): Promise<number> =>
    new Promise((resolve) => {
      const request = http.request(
        `${url}${path}`,
        {
          method: method ?? 'POST',
          agent: false,
          headers: {
            authorization: `Bearer ${org.admin.token}`,
            'content-type': 'application/json',
            'content-length': body.length,
            ...headers,
          },
        },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        },
      );
      request.once('error', () => resolve(0));
      request.end(body);
    });

  /** Retries as clients do, when the service says so. @returns the final status */
  async function sendUntilServed(attack: Attack): Promise<number> {
    let status = 503;
    for (let tries = 0; status === 503 && tries < MAX_TRIES; tries++) {
      if (tries > 0) await sleep(1_000);
      status = await send(attack);
    }
    return status;
  }

  it('delay no other request, each alone', async () => {
    const failures: unknown[] = [];
    for (const attack of attacks) {
      const { result: statuses, probe } = await probeDuring(url, async () => {
        const answered: number[] = [];
        for (let time = 0; time < 3; time++) answered.push(await send(attack));
        // The client's own work for a large body does not count.
        await sleep(200);
        return answered;
      });
      for (const [measure, value, atMost] of [
        ['/livez p99', probe.p99, P99_MS],
        ['/livez longest', probe.max, MAX_MS],
      ] as const) {
        try {
          expectFigure({ attack: attack.name, measure, value, unit: 'ms', bound: { atMost } });
        } catch (error) {
          failures.push((error as Error).message);
        }
      }
      if (probe.failures.length > 0) failures.push([attack.name, 'failed probes', ...probe.failures]);
      if (!statuses.every((status) => attack.statuses.includes(status))) failures.push([attack.name, statuses]);
    }
    expect(failures).toEqual([]);
  }, 280_000);

  it(`take bounded memory when ${AT_ONCE} arrive at once, and give it back`, async () => {
    await sleep(10_000);
    const before = residentMib(pid);
    const chosen = Array.from({ length: AT_ONCE }, (_, n) => attacks[n % attacks.length] as Attack);
    const { result, peakMib } = await peakDuring(pid, () =>
      probeDuring(url, () => Promise.all(chosen.map(sendUntilServed))),
    );
    const wrong = result.result.filter((status, n) => !chosen[n]?.statuses.includes(status)).length;
    // A service in use: without any requests Node.js would not collect its garbage.
    await probeDuring(url, () => sleep(30_000), { pauseMs: 50 });
    const after = residentMib(pid);
    const attack = `${AT_ONCE} of all of them at once`;
    const figures = [
      { measure: '/livez p99', value: result.probe.p99, unit: 'ms', bound: { atMost: P99_MS } },
      { measure: '/livez longest', value: result.probe.max, unit: 'ms', bound: { atMost: MAX_MS } },
      { measure: 'resident memory, at its peak', value: peakMib, unit: 'MiB', bound: { atMost: MAX_RESIDENT_MIB } },
      { measure: 'resident memory, half a minute later', value: after, unit: 'MiB', bound: { atMost: before * 1.3 } },
      { measure: 'not served in the end', value: wrong, unit: '', bound: { atMost: 0 } },
    ];
    const failures: unknown[] = [];
    if (result.probe.failures.length > 0) failures.push(['failed probes', ...result.probe.failures]);
    for (const figure of figures) {
      try {
        expectFigure({ attack, ...figure });
      } catch (error) {
        failures.push((error as Error).message);
      }
    }
    expect(failures).toEqual([]);
  }, 280_000);
});
