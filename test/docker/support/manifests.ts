import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const KUBERNETES = join(__dirname, '../../../docker/kubernetes');

/** Overlays that have the service; the last one has a controller alone. */
export const WITH_SERVICE = ['one-machine', 'production'] as const;
export const OVERLAYS = [...WITH_SERVICE, 'controller'] as const;

type Labels = Readonly<Record<string, string>>;

export interface Variable {
  readonly name: string;
  readonly valueFrom?: { readonly secretKeyRef?: SecretKey };
}

interface SecretKey {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string }[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: true }[];
  readonly resources?: { readonly requests?: object; readonly limits?: object };
  readonly securityContext?: SecurityContext;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey: string;
    readonly whenUnsatisfiable: string;
    readonly labelSelector: { readonly matchLabels: Labels };
    readonly matchLabelKeys?: readonly string[];
  }[];
  readonly tolerations?: readonly {
    readonly key: string;
    readonly effect: string;
    readonly tolerationSeconds?: number;
  }[];
  readonly securityContext?: SecurityContext;
  readonly initContainers?: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: {
      readonly secretName: string;
      readonly optional?: boolean;
      readonly items?: readonly { readonly key: string }[];
    };
    readonly configMap?: { readonly name: string };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

interface Selector {
  readonly matchLabels?: Labels;
}

/** The members that tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: Selector & Labels;
    readonly podSelector?: Selector;
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
    readonly strategy?: { readonly rollingUpdate?: { readonly maxSurge?: number } };
    readonly endpoints?: readonly {
      readonly port: string;
      readonly path: string;
      readonly relabelings?: readonly { readonly targetLabel: string; readonly replacement: string }[];
    }[];
    readonly template?: { readonly metadata: { readonly labels?: Labels }; readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

/** What `kubectl kustomize` makes of a folder below `docker/kubernetes`. */
export const rendered = (folder: string): Manifest[] => kustomized(join(KUBERNETES, folder));

/**
 * What it makes of an overlay elsewhere.
 * @param kustomization names folders of this project by their address, each with the revision to take
 * @param files beside it, with their text
 */
export function renderedElsewhere(kustomization: string, files: Readonly<Record<string, string>> = {}): Manifest[] {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'overlay-')));
  try {
    const here = kustomization.replaceAll(
      /github\.com\/[^\s\]]*?\/docker\/kubernetes(\/[^\s\]?]*)\?ref=[^\s\],]+/g,
      `${relative(directory, KUBERNETES)}$1`,
    );
    writeFileSync(join(directory, 'kustomization.yaml'), here);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return kustomized(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function kustomized(directory: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', directory], {
    encoding: 'utf8',
    // No cluster and no settings of the machine.
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
  });
  if (status !== 0) throw new Error(`kubectl kustomize ${directory}: ${stderr}`);
  return documentsIn(stdout);
}

/** The objects in a file below `docker/kubernetes`. */
export const manifestsIn = (file: string): Manifest[] => documentsIn(readFileSync(join(KUBERNETES, file), 'utf8'));

const documentsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as Manifest;
  });

export interface Pods {
  /** Of the object that makes them, such as `Deployment/control-plane`. */
  readonly of: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

export const podsOf = (manifests: readonly Manifest[]): Pods[] =>
  manifests.flatMap(({ kind, metadata: { name }, spec }) =>
    spec?.template
      ? [{ of: `${kind}/${name}`, labels: spec.template.metadata.labels ?? {}, spec: spec.template.spec }]
      : [],
  );

export const containersOf = ({ spec }: Pods): ContainerSpec[] => [...(spec.initContainers ?? []), ...spec.containers];

/** Whether a selector chooses these labels. */
export const selects = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);
