import { AgentFailure } from '../../../failures';
import { IMAGE_DIGEST_VARIABLE } from '../../../machine/machine-facts';
import { SERVICE_STORE, type Settings } from '../../../settings/settings';
import { NEEDED } from '../../../supervisor/capabilities';
import { ORDER_VARIABLE, type StandbyOrder } from '../../../supervisor/standby';
import { storeKindOf, storeSetting } from '../../workers/artifacts/artifact-stores';
import type { RunWish, WorkerResources } from '../../workers/worker-runs';
import type { Pod } from '../cluster/resources';
import { PROGRAM, WORKERS_OF } from '../pods/marks';
import type { Container } from '../pods/pod-state';
import { AGENT_CONTAINER, isOnVolume, WORKER_CONTAINER, type WorkerTemplate } from './worker-template';

/** By these labels, pods of workers are found. Values are UUIDs, and the name of the worker. */
export const LABELS = {
  uid: 'ccp-agent/worker-uid',
  name: 'ccp-agent/worker',
  owner: WORKERS_OF,
} as const;

/** An annotation: what the controller that made the pod has recorded of the worker, as JSON. */
export const RECORD = 'ccp-agent/worker-record';

export interface WorkerPods {
  readonly settings: Settings;
  /** Where workers run. */
  readonly namespace: string;
  /** Id of the cluster in the service, once that is known. */
  readonly owner: () => string;
  /** With the agent and CRIU. */
  readonly agentImage: string;
  /** Name of a Secret in that namespace: see `SECRET_KEYS`. */
  readonly secret: string;
  readonly template: WorkerTemplate;
}

/** Of the Secret: the key that signs checkpoints, and a token for the object storage of the service. */
const SECRET_KEYS = { storeKey: 'store-key', token: 'token' } as const;

/** Where agent and CRIU are, in their image and in the container of a worker. */
const AGENT_PATH = '/opt/ccp';
/** The same volume in the init container, whose image has them at their own path. */
const INSTALL_PATH = '/ccp-agent';
const AGENT_PROGRAM = `${AGENT_PATH}/bin/ccp-agent`;
/** Copies them into a directory. */
const INSTALL = `${AGENT_PATH}/bin/install`;
/** In the container itself: nobody but root may write to it, unlike to an emptyDir. */
const STATE_PATH = '/var/lib/ccp-agent';
const SECRET_PATH = '/etc/ccp-agent';
const VOLUMES = { agent: 'ccp-agent', secret: 'ccp-agent-secret' } as const;
/** Only root may read them. */
const SECRET_MODE = 0o400;
const USUAL_PORT = 8_000;
const GPU = 'nvidia.com/gpu';
/** The longest string of an environment in Linux, with its end. */
const MAX_ORDER_BYTES = 131_000;
/** What distinguishes pods of workers that have one name after the other. */
const DIGITS = 8;
const MAX_NAME = 63;
const MS = 1_000;

/** The same for each start of a worker, so only one of its pods can exist. */
export const podNameOf = ({ name, uid }: Pick<RunWish, 'name' | 'uid'>): string =>
  `${name.slice(0, MAX_NAME - DIGITS - 1)}-${uid.slice(0, DIGITS)}`;

/** The pod of a worker. Throws `AgentFailure` if these settings allow none. */
export function podOf(wish: RunWish, pods: WorkerPods): Pod {
  const { namespace, owner, template, secret, agentImage } = pods;
  const { uid, name, stopGraceMs, record } = wish;
  const needsToken = storesOf(wish, pods).includes(SERVICE_STORE);
  const keys = needsToken ? Object.values(SECRET_KEYS) : [SECRET_KEYS.storeKey];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(wish),
      namespace,
      labels: {
        'app.kubernetes.io/managed-by': 'ccp-agent',
        ...template.labels,
        ...{ [LABELS.uid]: uid, [LABELS.name]: name, [LABELS.owner]: owner() },
      },
      annotations: {
        ...template.annotations,
        ...{ [PROGRAM]: AGENT_PROGRAM, [RECORD]: JSON.stringify(record) },
      },
    },
    spec: {
      // A worker needs neither, and the variables of each Service would be in its checkpoints.
      ...{ automountServiceAccountToken: false, enableServiceLinks: false },
      ...template.spec,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: Math.max(1, Math.ceil(stopGraceMs / MS)),
      volumes: [
        ...(template.spec.volumes ?? []),
        { name: VOLUMES.agent, emptyDir: {} },
        {
          name: VOLUMES.secret,
          secret: { secretName: secret, defaultMode: SECRET_MODE, items: keys.map((key) => ({ key, path: key })) },
        },
      ],
      initContainers: [agentContainer(agentImage, template), ...template.otherInits],
      containers: [workerContainer(wish, pods, keys), ...template.others],
    },
  };
}

const agentContainer = (image: string, { agent }: WorkerTemplate): Container => ({
  image,
  command: [INSTALL, INSTALL_PATH],
  ...agent,
  name: AGENT_CONTAINER,
  volumeMounts: [...(agent.volumeMounts ?? []), { name: VOLUMES.agent, mountPath: INSTALL_PATH }],
});

function workerContainer(wish: RunWish, pods: WorkerPods, keys: readonly string[]): Container {
  const { template } = pods;
  const { worker } = template;
  const image = wish.image ?? worker.image;
  if (image === undefined)
    throw new AgentFailure({
      cause: 'invalid_setting',
      message: 'The profile names no image, which a worker in a pod needs.',
      remedy: `Name one as spec.worker.image, or for all such profiles in the container "${WORKER_CONTAINER}" of --worker-template.`,
    });
  const port = containerPort(wish, template);
  return {
    securityContext: {
      runAsUser: 0,
      seccompProfile: { type: 'Unconfined' },
      capabilities: { add: capabilities() },
    },
    ...worker,
    name: WORKER_CONTAINER,
    image,
    command: [AGENT_PROGRAM, 'run', '--ordered', '--publish-address', '$(CCP_POD_IP)'],
    env: [...variablesFor(wish, pods, keys, image), ...(worker.env ?? [])],
    resources: withResources(worker.resources, wish.resources),
    ...(port !== undefined && { ports: [...(worker.ports ?? []), { name: 'worker', containerPort: port }] }),
    volumeMounts: [
      ...(worker.volumeMounts ?? []),
      { name: VOLUMES.agent, mountPath: AGENT_PATH, readOnly: true },
      // Each file by itself: others may write to the directory of a volume.
      ...keys.map((key) => ({
        ...{ name: VOLUMES.secret, mountPath: `${SECRET_PATH}/${key}`, subPath: key, readOnly: true },
      })),
    ],
  };
}

const capabilities = (): string[] => Object.keys(NEEDED).map((name) => name.replace(/^CAP_/, ''));

/** In the network of a node, the supervisor chooses a free one. */
const containerPort = ({ port }: RunWish, { spec }: WorkerTemplate): number | undefined =>
  spec.hostNetwork === true ? undefined : port || USUAL_PORT;

/** Those of the template come last, and win. */
function variablesFor(wish: RunWish, pods: WorkerPods, keys: readonly string[], image: string) {
  const { settings } = pods;
  // A tag may lead to another image at any time.
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
  const given = {
    CCP_URL: settings.url,
    CCP_STATE_DIR: STATE_PATH,
    CCP_STORE: storeSetting(settings, wish.store),
    CCP_STORE_KEY_FILE: `${SECRET_PATH}/${SECRET_KEYS.storeKey}`,
    CCP_VERIFY: settings.verify,
    ...(keys.includes(SECRET_KEYS.token) && { CCP_TOKEN_FILE: `${SECRET_PATH}/${SECRET_KEYS.token}` }),
    CCP_WORKLOAD_NAME: wish.name,
    ...(digest !== undefined && { [IMAGE_DIGEST_VARIABLE]: digest }),
    [ORDER_VARIABLE]: orderText(wish, pods),
  };
  return [
    ...Object.entries(given).map(([name, value]) => ({ name, value: literal(value) })),
    fieldVariable('CCP_POD_NAME', 'metadata.name'),
    fieldVariable('CCP_POD_NAMESPACE', 'metadata.namespace'),
    fieldVariable('CCP_POD_IP', 'status.podIP'),
  ];
}

const fieldVariable = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/** Kubernetes replaces `$(NAME)` in values, and `$$` by `$`. */
const literal = (value: string): string => value.replaceAll('$', () => '$$');

function orderText(wish: RunWish, { settings, template }: WorkerPods): string {
  const { uid, name, command, variables, network, port, reference } = wish;
  const published = containerPort(wish, template) ?? 0;
  const order: StandbyOrder = {
    ...{ uid, name, command, variables, network },
    ...(network === 'isolated' ? { publish: `${published}:${port}` } : { port: String(port) }),
    ...(reference !== undefined && {
      restore: reference,
      restoreStore: storeSetting(settings, storeKindOf(reference)),
    }),
  };
  const text = JSON.stringify(order);
  if (Buffer.byteLength(literal(text)) <= MAX_ORDER_BYTES) return text;
  throw new AgentFailure({
    cause: 'invalid_setting',
    message: `The command and the variables of the profile have more than ${MAX_ORDER_BYTES} bytes, which no container can get.`,
    remedy: 'Put what is long into a file of the image.',
  });
}

/** What its stores are. Throws `AgentFailure` for a directory that pods do not share. */
function storesOf({ store, reference, network }: RunWish, { settings, template }: WorkerPods): string[] {
  const stores = [store, ...(reference === undefined ? [] : [storeKindOf(reference)])];
  const found = stores.map((kind) => storeSetting(settings, kind));
  // One in the network of its pod is not checkpointed, as a rule; if it is, the store is asked in vain.
  const unshared = found.find((path) => path !== SERVICE_STORE && !isOnVolume(template, path));
  if (unshared === undefined || (network === 'host' && reference === undefined)) return found;
  throw new AgentFailure({
    cause: 'invalid_setting',
    message: `The store ${unshared} is on no volume of the template of workers, so its checkpoints would end with their pods.`,
    remedy: `Mount a volume that all nodes share there, in the container "${WORKER_CONTAINER}" of --worker-template, or use --store service.`,
  });
}

function withResources(given: Container['resources'], { cpus, memoryMib, gpus }: WorkerResources) {
  const asked = {
    ...(cpus !== undefined && { cpu: String(cpus) }),
    ...(memoryMib !== undefined && { memory: `${memoryMib}Mi` }),
    ...(gpus !== undefined && { [GPU]: String(gpus) }),
  };
  return { ...given, requests: { ...given?.requests, ...asked }, limits: { ...given?.limits, ...asked } };
}
