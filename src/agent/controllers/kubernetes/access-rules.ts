import { AgentFailure } from '../../failures';
import type { ClusterClient } from './cluster/cluster-client';
import { ACCESS_REVIEWS } from './cluster/resources';

/** A rule of a role, for one kind of objects. */
export interface AccessRule {
  /** Empty: the core group. */
  readonly group: string;
  /** Such as `pods` or `pods/exec`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly isNamespaced: boolean;
}

const rule = (group: string, resource: string, isNamespaced: boolean, ...verbs: string[]): AccessRule => ({
  ...{ group, resource, verbs, isNamespaced },
});

/**
 * What the controller does, and no more: `docker/kubernetes/base/controller/rbac.yaml` has the same rules. A
 * WebSocket to `exec` needs `get` up to Kubernetes 1.34, and `create` from 1.35 on.
 */
export const RULES: readonly AccessRule[] = [
  rule('', 'nodes', false, 'get', 'list', 'watch'),
  rule('', 'pods', true, 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('', 'pods/exec', true, 'get', 'create'),
  rule('batch', 'jobs', true, 'get', 'list', 'watch', 'create', 'patch'),
  rule('apps', 'deployments', true, 'get', 'create', 'patch'),
  rule('apps', 'replicasets', true, 'get'),
  rule('apps', 'statefulsets', true, 'get'),
];
/** Only to empty nodes for maintenance. */
export const CORDON_RULES: readonly AccessRule[] = [rule('', 'nodes', false, 'patch')];
/** Only for `--via kubelet`. Who has it can run commands in all containers of all nodes. */
export const KUBELET_RULES: readonly AccessRule[] = [rule('', 'nodes/proxy', false, 'create')];
/** In the namespace of the controller. */
export const LEASE_RULES: readonly AccessRule[] = [
  rule('coordination.k8s.io', 'leases', true, 'get', 'create', 'update'),
];

const AT_ONCE = 8;
const NAMED = 8;

interface Question {
  readonly verb: string;
  readonly rule: AccessRule;
  readonly namespace: string | undefined;
}

/**
 * Asks the API server for each verb whether this agent has it. Throws `AgentFailure` that names those that
 * are missing: a controller that lacks one would fail when somebody needs it.
 * @param namespaces undefined: all
 */
export async function requireAccess(
  client: ClusterClient,
  rules: readonly AccessRule[],
  namespaces: readonly string[] | undefined,
): Promise<void> {
  const questions = rules.flatMap((one) =>
    one.verbs.flatMap((verb) =>
      (one.isNamespaced ? (namespaces ?? [undefined]) : [undefined]).map((namespace): Question => ({
        verb,
        rule: one,
        namespace,
      })),
    ),
  );
  const missing: Question[] = [];
  for (let start = 0; start < questions.length; start += AT_ONCE) {
    const some = questions.slice(start, start + AT_ONCE);
    const allowed = await Promise.all(some.map((question) => isAllowed(client, question)));
    missing.push(...some.filter((_question, index) => !allowed[index]));
  }
  if (missing.length === 0) return;
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  throw new AgentFailure({
    cause: 'permission_missing',
    message: `The role of this agent lacks ${missing.slice(0, NAMED).map(textOf).join(', ')}${more}.`,
    remedy: 'Apply docker/kubernetes/base/controller/rbac.yaml, and bind it to the account of the agent.',
  });
}

async function isAllowed(client: ClusterClient, { verb, rule: { group, resource }, namespace }: Question) {
  const [plural, subresource] = resource.split('/');
  const resourceAttributes = {
    ...{ verb, group, resource: plural },
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes } };
  return (await client.create(ACCESS_REVIEWS, review)).status?.allowed === true;
}

function textOf({ verb, rule: { group, resource, isNamespaced }, namespace }: Question): string {
  const where = isNamespaced && namespace !== undefined ? ` in the namespace ${namespace}` : '';
  return `"${verb}" for "${resource}${group === '' ? '' : `.${group}`}"${where}`;
}
