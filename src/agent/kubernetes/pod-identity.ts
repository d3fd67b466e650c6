import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isDnsLabel } from '../supervisor/state/workload-folder';

/** What a process in a container learns about its pod. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  /** Known only if the pod's manifest passes it. */
  readonly uid: string | undefined;
  /** Under which name its workload is supervised, a DNS label. */
  readonly workload: string;
}

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const DEFAULT_NAMESPACE = 'default';
const MAX_LABEL = 63;
const HASH_DIGITS = 8;

/**
 * The pod in which this process runs; undefined outside of pods. The variables of the downward API win
 * (docs/guides/agents-kubernetes.md); without them, the host name is that of the pod, unless the pod uses the
 * network of its node.
 * @param namespaceFile of the service account
 */
export function podOfThisProcess(
  env: NodeJS.ProcessEnv = process.env,
  namespaceFile = NAMESPACE_FILE,
): PodIdentity | undefined {
  const { CCP_POD_NAME, CCP_POD_NAMESPACE, CCP_POD_UID, CCP_WORKLOAD_NAME, KUBERNETES_SERVICE_HOST } = env;
  if (!CCP_POD_NAME && !KUBERNETES_SERVICE_HOST) return undefined;
  const name = CCP_POD_NAME || hostname();
  return {
    namespace: CCP_POD_NAMESPACE || contentsOf(namespaceFile) || DEFAULT_NAMESPACE,
    name,
    uid: CCP_POD_UID || undefined,
    workload: labelOf(CCP_WORKLOAD_NAME || name),
  };
}

/** A name of Kubernetes as a DNS label. A longer name keeps its beginning, and gets a hash of the whole. */
export function labelOf(name: string): string {
  if (isDnsLabel(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS);
  const label = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${label.slice(0, MAX_LABEL - HASH_DIGITS - 1)}-${hash}`.replace(/^-+/, '');
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
