import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/components';
import {
  containersOf,
  manifestsIn,
  OVERLAYS,
  podsOf,
  rendered,
  selects,
  type ContainerSpec,
  type Manifest,
} from './support/manifests';

const PROJECT = join(__dirname, '../..');
const GUIDE = readFileSync(join(PROJECT, 'docs/guides/deploying.md'), 'utf8');
const AGENT_GUIDE = readFileSync(join(PROJECT, 'docs/guides/agents-kubernetes.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

/** Ends by itself when it cannot act; the service shows its heartbeat. It answers no HTTP. */
const WITHOUT_PROBES = ['Deployment/ccp-controller'];

const withoutVersion = /^[^:@]+$|:latest$/;

/** Keys of a secret that a container or a volume names, as `secret/key`. */
function secretKeysOf(manifests: readonly Manifest[]): string[] {
  return podsOf(manifests).flatMap((pods) => [
    ...containersOf(pods).flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef ? [`${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`] : [],
      ),
    ),
    ...(pods.spec.volumes ?? []).flatMap(({ secret }) =>
      (secret?.items ?? []).map(({ key }) => `${secret?.secretName}/${key}`),
    ),
  ]);
}

/** Keys of the secrets that the guide has people create, as `secret/key`. */
const documentedKeys = (): string[] =>
  [...GUIDE.matchAll(/create secret generic ([\w-]+)((?:[^\n]*\\\n)*[^\n]*)/g)].flatMap(([, name, rest = '']) =>
    [...rest.matchAll(/--from-(?:literal|file)=([\w-]+)=/g)].map(([, key]) => `${name}/${key}`),
  );

describeWith(['kubectl'], 'the manifests for Kubernetes', () => {
  describe.each(['base', ...OVERLAYS.map((overlay) => `overlays/${overlay}`)])('%s', (folder) => {
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = rendered(folder);
    });

    const named = (kind: string, name: string) =>
      manifests.filter((one) => one.kind === kind && one.metadata.name === name);
    const names = (kind: string) => manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);

    it('has the service, the migration, the controller and the budget in one namespace', () => {
      expect(names('Deployment').sort()).toEqual(['ccp-controller', 'control-plane']);
      expect(names('Job')).toEqual(['control-plane-migration']);
      expect(names('PodDisruptionBudget')).toEqual(['control-plane']);
      const clusterWide = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];
      for (const { kind, metadata } of manifests)
        expect([kind, metadata.name, metadata.namespace]).toEqual([
          kind,
          metadata.name,
          clusterWide.includes(kind) ? undefined : 'checkpoint-control-plane',
        ]);
      const [namespace] = named('Namespace', 'checkpoint-control-plane');
      expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    });

    it('has only containers without rights, as the restricted standard of its namespace demands', () => {
      for (const pods of podsOf(manifests)) {
        expect([pods.of, pods.spec.securityContext]).toEqual([
          pods.of,
          expect.objectContaining({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }),
        ]);
        expect(pods.spec.securityContext?.runAsUser).toBeGreaterThan(0);
        for (const { name, securityContext } of containersOf(pods))
          expect([pods.of, name, securityContext]).toEqual([
            pods.of,
            name,
            { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          ]);
      }
    });

    it('names each image with a version, its own with that of the package', () => {
      const images = podsOf(manifests)
        .flatMap(containersOf)
        .map(({ image }) => image);
      expect(images.filter((image) => withoutVersion.test(image))).toEqual([]);
      const own = images.filter((image) => /checkpoint-control-plane|ccp-agent/.test(image));
      expect([...new Set(own)].sort()).toEqual([`ccp-agent:${version}`, `checkpoint-control-plane:${version}`]);
    });

    it('has limits of memory, requests, and probes for all that serves', () => {
      for (const pods of podsOf(manifests))
        for (const container of containersOf(pods)) {
          expect([container.name, container.resources]).toEqual([
            container.name,
            { requests: { cpu: expect.anything(), memory: expect.anything() }, limits: { memory: expect.anything() } },
          ]);
        }
      const serving = podsOf(manifests).filter(({ of }) => !of.startsWith('Job/') && !WITHOUT_PROBES.includes(of));
      expect(serving.length).toBeGreaterThan(0);
      for (const { spec } of serving)
        for (const { name, startupProbe, readinessProbe, livenessProbe, ports = [] } of spec.containers)
          for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
            expect([name, probe]).toEqual([name, expect.anything()]);
            if (probe?.httpGet) expect(ports.map((port) => port.name)).toContain(probe.httpGet.port);
          }
    });

    it('refers only to objects that are there', () => {
      const labelsOfPods = podsOf(manifests).map(({ labels }) => labels);
      for (const { kind, metadata, spec } of manifests) {
        if (!['Service', 'PodDisruptionBudget', 'Deployment', 'StatefulSet', 'NetworkPolicy'].includes(kind)) continue;
        const selector = kind === 'Service' ? spec?.selector : (spec?.podSelector ?? spec?.selector)?.matchLabels;
        const chosen = podsOf(manifests).filter(({ labels }) => selects(selector ?? {}, labels));
        expect([kind, metadata.name, chosen.length > 0]).toEqual([kind, metadata.name, true]);
        if (kind !== 'Service') continue;
        const ports = chosen.flatMap((pods) => pods.spec.containers).flatMap((one) => one.ports ?? []);
        for (const { targetPort } of spec?.ports ?? []) expect(ports.map(({ name }) => name)).toContain(targetPort);
      }
      expect(labelsOfPods.length).toBeGreaterThan(2);
      for (const { of, spec } of podsOf(manifests)) {
        expect([of, names('ServiceAccount')]).toEqual([of, expect.arrayContaining([spec.serviceAccountName])]);
        const owner = manifests.find(({ kind, metadata }) => `${kind}/${metadata.name}` === of);
        const claims = owner?.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
        const volumes = [...(spec.volumes ?? []).map(({ name }) => name), ...claims];
        for (const { volumeMounts = [], envFrom = [] } of containersOf({ of, labels: {}, spec })) {
          for (const { name } of volumeMounts) expect(volumes).toContain(name);
          for (const { configMapRef } of envFrom) expect(names('ConfigMap')).toContain(configMapRef?.name);
        }
        for (const { configMap, persistentVolumeClaim } of spec.volumes ?? []) {
          if (configMap) expect(names('ConfigMap')).toContain(configMap.name);
          if (persistentVolumeClaim) expect(names('PersistentVolumeClaim')).toContain(persistentVolumeClaim.claimName);
        }
      }
      for (const { roleRef, subjects = [] } of manifests.filter((one) => one.roleRef)) {
        expect(names(roleRef?.kind ?? '')).toContain(roleRef?.name);
        for (const { kind, name, namespace } of subjects)
          expect([namespace, named(kind, name).length]).toEqual(['checkpoint-control-plane', 1]);
      }
    });

    it('has no secret, and names only keys that the guide creates', () => {
      expect(names('Secret')).toEqual([]);
      const keys = secretKeysOf(manifests);
      expect(keys.length).toBeGreaterThan(1);
      expect(keys.filter((key) => !documentedKeys().includes(key))).toEqual([]);
    });

    it('gives the controller the key that signs the checkpoints of the workloads', () => {
      const [pods] = podsOf(manifests).filter(({ of }) => of === 'Deployment/ccp-controller');
      const { env = [] } = containersOf(pods!)[0]!;
      expect(env).toContainEqual({ name: 'CCP_STORE_KEY_FILE', value: '/var/run/secrets/ccp/store-key' });
      expect(secretKeysOf(manifests)).toContain('ccp-controller-token/store-key');
    });

    it('lets its pods reach other pods also where an address block has none', () => {
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
        spec: { egress?: { to?: { ipBlock?: object }[] }[] };
      }[];
      const peers = policies
        .flatMap(({ spec }) => (spec.egress ?? []).map(({ to = [] }) => to))
        .filter((to) => to.some(({ ipBlock }) => ipBlock));
      expect(peers.length).toBeGreaterThan(2);
      for (const to of peers) expect(to).toContainEqual({ namespaceSelector: {} });
    });

    it('runs a controller of this cluster, with its token in a file and its state in memory', () => {
      const [deployment] = named('Deployment', 'ccp-controller');
      const controller = deployment?.spec?.template?.spec.containers[0] as ContainerSpec;
      expect(controller.args).toEqual(['kubernetes', '--cluster', '$(CLUSTER_NAME)']);
      const map = names('ConfigMap').find((name) => name.startsWith('ccp-controller-')) ?? '';
      expect(named('ConfigMap', map)[0]?.data).toEqual({
        CLUSTER_NAME: 'kubernetes',
        CCP_URL: 'http://control-plane.checkpoint-control-plane',
        CCP_STORE: 'service',
      });
      const mounts = Object.fromEntries((controller.volumeMounts ?? []).map((mount) => [mount.name, mount.mountPath]));
      expect(mounts).toEqual({ token: '/var/run/secrets/ccp', tmp: '/tmp' });
    });
  });

  it('have an account whose namespace the guide sets in each binding', () => {
    const bindings = manifestsIn('base/controller-rbac.yaml').filter(({ subjects }) => subjects !== undefined);
    expect(bindings).toHaveLength(2);
    for (const { kind, metadata } of bindings)
      expect(AGENT_GUIDE).toContain(`kubectl patch ${kind.toLowerCase()} ${metadata.name} `);
  });

  it('the manifests for production have several replicas, and no PostgreSQL of their own', () => {
    const manifests = rendered('overlays/production');
    const service = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'control-plane');
    expect(service?.spec?.replicas).toBeGreaterThan(2);
    expect(manifests.filter(({ kind }) => kind === 'StatefulSet' || kind === 'PersistentVolumeClaim')).toEqual([]);
  });

  it('have a monitor whose ports and labels are those of the service', () => {
    const [monitor] = manifestsIn('components/service-monitor/service-monitor.yaml');
    const service = rendered('base').find(({ kind }) => kind === 'Service');
    expect(selects(monitor?.spec?.selector?.matchLabels ?? {}, service?.metadata.labels ?? {})).toBe(true);
    const ports = service?.spec?.ports?.map(({ name }) => name);
    for (const { port } of monitor?.spec?.endpoints ?? []) expect(ports).toContain(port);
    expect(documentedKeys()).toContain('control-plane-metrics/token');
  });

  it('have an example of a job whose rights are those that the guide lists', () => {
    const [, job] = manifestsIn('examples/training-job.yaml');
    const [pods] = podsOf(job ? [job] : []);
    const [bring, main] = pods ? containersOf(pods) : [];
    expect(bring).toMatchObject({ image: `ccp-agent:${version}`, securityContext: { runAsNonRoot: true } });
    expect(main?.command?.slice(0, 2)).toEqual(['/opt/ccp/bin/ccp-agent', 'run']);
    const added = main?.securityContext?.capabilities?.add ?? [];
    const listed = [...GUIDE.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
    expect([...added].sort()).toEqual(listed.sort());
    const keys = secretKeysOf(job ? [job] : []);
    expect(keys).toEqual(['ccp-agent/token', 'ccp-agent/store-key']);
    expect(documentedKeys()).toEqual(expect.arrayContaining(keys));
  });
});
