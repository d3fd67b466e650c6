import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { CORDON_RULES, LEASE_RULES, RULES, type AccessRule } from './access-rules';

const FILE = join(__dirname, '../../../../docker/kubernetes/base/controller/rbac.yaml');

interface Role {
  readonly kind: string;
  readonly rules: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

const roles = parseAllDocuments(readFileSync(FILE, 'utf8')).map((document) => document.toJS() as Role);

/** Each verb of a role or of the agent, as `verb resource.group`. */
const granted = (kind: string): string[] =>
  roles
    .filter((role) => role.kind === kind)
    .flatMap(({ rules }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    )
    .sort();
const needed = (...rules: readonly AccessRule[]): string[] =>
  rules.flatMap(({ group, resource, verbs }) => verbs.map((verb) => `${verb} ${resource}.${group}`)).sort();

describe('The role of the controller', () => {
  it('grants what the controller asks for when it starts, and nothing else', () => {
    expect(granted('ClusterRole')).toEqual(needed(...RULES, ...CORDON_RULES));
  });

  it('grants leases in the namespace of the controller only', () => {
    expect(granted('Role')).toEqual(needed(...LEASE_RULES));
  });
});
