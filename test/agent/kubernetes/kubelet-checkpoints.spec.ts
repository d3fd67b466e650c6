import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Access } from '../../../src/agent/controllers/kubernetes/cluster/access';
import { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { KubeletCheckpoints } from '../../../src/agent/controllers/kubernetes/pods/kubelet-checkpoints';
import { failureOf, type FailureFacts } from '../../../src/agent/failures';

const ARCHIVE = '/var/lib/kubelet/checkpoints/checkpoint-train-0_default-main-2026-01-01T00:00:00Z.tar';
const CONTAINER = { namespace: 'default', pod: 'train-0', container: 'main', program: ['ccp-agent'] };
const REQUEST = { id: '11111111-1111-4111-8111-111111111111', leaveRunning: true };
/** As the API server writes it, and not the kubelet. */
const FORBIDDEN = JSON.stringify({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 },
  message: 'nodes "n1" is forbidden: User "agent" cannot create resource "nodes/proxy" in API group ""',
});

/** No kubelet here has this API, so these are its answers as its source and its documentation have them. */
describe('Checkpoints by the kubelet', () => {
  const stopped = new AbortController();
  let server: Server;
  let directory: string;
  let checkpoints: KubeletCheckpoints;
  let answer: { readonly status: number; readonly body: string } | undefined;
  let asked: string[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (answer) response.writeHead(answer.status).end(answer.body);
      else request.socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    directory = mkdtempSync(join(tmpdir(), 'kubelet-'));
    const kubeconfig = join(directory, 'kubeconfig');
    const config = {
      clusters: [
        {
          name: 'c',
          cluster: {
            'insecure-skip-tls-verify': true,
            server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          },
        },
      ],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const client = new ClusterClient(Access.load({ kubeconfig }), stopped.signal);
    checkpoints = new KubeletCheckpoints(client, ({ pod }) => (pod === 'train-0' ? 'n1' : undefined));
  });
  beforeEach(() => (asked = []));
  afterAll(async () => {
    stopped.abort();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    rmSync(directory, { recursive: true });
  });

  const failureFor = async (members: Partial<typeof REQUEST> = {}, container = CONTAINER): Promise<FailureFacts> =>
    checkpoints
      .checkpoint(container, { ...REQUEST, ...members })
      .then(() => Promise.reject(new Error('it is reported as a checkpoint')), failureOf);

  it('leave an archive on the node, which is reported by its path and never as a checkpoint to restore', async () => {
    answer = { status: 200, body: JSON.stringify({ items: [ARCHIVE] }) };
    expect(await failureFor()).toMatchObject({
      cause: 'incompatible',
      message: expect.stringMatching(
        new RegExp(`of the node n1 has written the archive ${ARCHIVE} .*cannot restore it`),
      ),
    });
    expect(asked).toEqual(['POST /api/v1/nodes/n1/proxy/checkpoint/default/train-0/main?timeout=120']);
  });

  it('are not taken of a container that shall end with them, because nobody could bring it back', async () => {
    expect(await failureFor({ leaveRunning: false })).toMatchObject({
      cause: 'incompatible',
      message: expect.stringContaining('is not ended'),
    });
    expect(asked).toEqual([]);
  });

  const refusals: readonly [string, number, string, string, RegExp][] = [
    [
      'the feature gate is off',
      404,
      '404 page not found\n',
      'incompatible',
      /n1 takes no checkpoints: 404 page not found/,
    ],
    [
      'the pod is gone',
      404,
      'pod does not exist',
      'workload_ended',
      /does not have the container main of the pod default/,
    ],
    [
      'the container is gone',
      404,
      'container main does not exist',
      'workload_ended',
      /does not have the container main/,
    ],
    [
      'the runtime fails',
      500,
      'checkpointing of default/train-0/main failed (rpc error: code = Unknown desc = CRIU is missing)',
      'unclassified',
      /has taken no checkpoint .* CRIU is missing\)/,
    ],
    [
      'the role lacks the verb',
      403,
      FORBIDDEN,
      'permission_missing',
      /does not allow this agent to create nodes\/proxy/,
    ],
    ['the answer names no archive', 200, '{"items":[]}', 'unclassified', /does not say where the archive/],
    ['the answer is no JSON', 200, 'checkpointed', 'unclassified', /does not say where the archive/],
  ];
  it.each(refusals)('are refused in words when %s, and not repeated', async (_what, status, body, cause, message) => {
    answer = { status, body };
    expect(await failureFor()).toMatchObject({ cause, message: expect.stringMatching(message) });
    expect(asked).toHaveLength(1);
  });

  it('may have left an archive when the connection is lost, so they are not repeated either', async () => {
    answer = undefined;
    expect(await failureFor()).toMatchObject({ message: expect.stringContaining('may have written an archive') });
    expect(asked).toHaveLength(1);
  });

  it('need a node', async () => {
    expect(await failureFor({}, { ...CONTAINER, pod: 'other' })).toMatchObject({ cause: 'workload_ended' });
  });
});
