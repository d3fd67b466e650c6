import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const SEARCHED = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
/** Where `test/kubernetes/provide.sh` keeps the programs of Kubernetes. */
export const KUBERNETES_PROGRAMS = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'control-plane/kubernetes',
);
const SHARED = join(__dirname, '../../../shared');

/** Where a program is. @returns undefined if it is not installed */
export const find = (program: string): string | undefined =>
  SEARCHED.map((directory) => join(directory, program)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const installed =
  (...programs: string[]) =>
  (): boolean =>
    programs.every((program) => find(program) !== undefined);

const isRoot = (): boolean => process.getuid?.() === 0;

/** CRIU 4 or newer that works with this kernel. `.ci/run` installs one as /usr/local/sbin/criu. */
function hasGoodCriu(): boolean {
  const criu = find('criu');
  if (criu === undefined) return false;
  const version = /Version: (\d+)/.exec(spawnSync(criu, ['--version'], { encoding: 'utf8' }).stdout)?.[1];
  return Number(version ?? 0) >= 4 && spawnSync(criu, ['check']).status === 0;
}

/** Asked once in a process: it takes some hundred milliseconds. */
let criuWorks: boolean | undefined;

/** What some tests need and not every machine has, and how to tell whether it is there. */
const COMPONENTS = {
  bash: installed('bash'),
  buildah: () => isRoot() && find('buildah') !== undefined,
  Chromium: () => find('chromium-headless-shell') !== undefined || find('chromium') !== undefined,
  CRIU: () => (criuWorks ??= isRoot() && hasGoodCriu()),
  curl: installed('curl'),
  debootstrap: () => isRoot() && find('debootstrap') !== undefined,
  faketime: installed('faketime'),
  haproxy: installed('haproxy'),
  jq: installed('jq'),
  Kubernetes: () =>
    isRoot() &&
    existsSync(join(KUBERNETES_PROGRAMS, 'kube-apiserver')) &&
    ['etcd', 'containerd', 'runc', 'kubectl'].every((program) => find(program) !== undefined),
  Patroni: installed('patroni', 'etcd', 'haproxy'),
  nginx: installed('nginx'),
  openssl: installed('openssl'),
  pgbouncer: installed('pgbouncer'),
  kubectl: installed('kubectl'),
  'PostgreSQL 15': () => existsSync('/usr/lib/postgresql/15/bin/postgres'),
  Prometheus: installed('prometheus'),
  promtool: installed('promtool'),
  runc: () => isRoot() && find('runc') !== undefined,
  script: installed('script'),
  Slurm: installed('munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'sinfo', 'scancel', 'scontrol'),
  sqlmap: installed('sqlmap'),
  'OpenStack Swift': installed(
    'swift-proxy-server',
    'swift-account-server',
    'swift-container-server',
    'swift-object-server',
  ),
  wget: installed('wget'),
  zsh: installed('zsh'),
  '../shared/contract': () => existsSync(join(SHARED, 'contract/check.mjs')),
  '../shared/samples': () => existsSync(join(SHARED, 'samples')),
} satisfies Readonly<Record<string, () => boolean>>;

export type Component = keyof typeof COMPONENTS;

const isComponent = (name: string): name is Component => Object.hasOwn(COMPONENTS, name);
export const missing = (components: readonly Component[]): Component[] =>
  components.filter((name) => !COMPONENTS[name]());

/** The end of the title of tests that need components: why they are skipped; empty if nothing is missing. */
function skippedWithout(components: readonly Component[]): string {
  const names = missing(components);
  return names.length === 0 ? '' : ` (skipped, missing: ${names.join(', ')})`;
}

/** `describe` of tests that need components; where one is missing, a skip that names it. */
export function describeWith(components: readonly Component[], name: string, tests: () => void): void {
  const why = skippedWithout(components);
  if (why === '') return describe(name, tests);
  // Their bodies may read what is missing: they are not run.
  return describe.skip(name + why, () => it('needs it', () => undefined));
}

/** `it` of a test that needs components; where one is missing, a skip that names it. */
export function itWith(
  components: readonly Component[],
  name: string,
  test: () => Promise<void>,
  withinMs?: number,
): void {
  const why = skippedWithout(components);
  (why === '' ? it : it.skip)(name + why, test, withinMs);
}

/** @param reason as in a title. @returns why a test must not be skipped for it; undefined if it may be */
export function skipFault(reason: string): string | undefined {
  // Of the account, or the system, that runs the tests.
  if (reason.startsWith('skipped unless ')) return undefined;
  const names = /^skipped, missing: (.+)$/.exec(reason)?.[1]?.split(', ');
  if (!names) return 'a skipped test states its reason';
  const there = names.filter((name) => !isComponent(name) || COMPONENTS[name]());
  return there.length === 0 ? undefined : `${there.join(', ')}: not missing`;
}
