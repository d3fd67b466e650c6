import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { WORKERS_OF } from '../../src/agent/controllers/kubernetes/pods/marks';
import { describeWith } from '../support/components';
import {
  containersOf,
  manifestsIn,
  OVERLAYS,
  podsOf,
  rendered,
  renderedElsewhere,
  selects,
  WITH_SERVICE,
  type ContainerSpec,
  type Manifest,
} from './support/manifests';

const PROJECT = join(__dirname, '../..');
const GUIDE = readFileSync(join(PROJECT, 'docs/guides/deploying.md'), 'utf8');
const WORKERS_GUIDE = readFileSync(join(PROJECT, 'docs/guides/sleep-and-wake.md'), 'utf8');
const AGENT_GUIDE = readFileSync(join(PROJECT, 'docs/guides/agents-kubernetes.md'), 'utf8');
const SIZING = readFileSync(join(PROJECT, 'docs/guides/operating.md'), 'utf8');
const SCRAPING = readFileSync(join(PROJECT, 'docker/prometheus/prometheus.yml'), 'utf8');
const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

/** Ends by itself when it cannot act; the service shows its heartbeat. It answers no HTTP. */
const WITHOUT_PROBES = ['Deployment/ccp-controller'];

/** Programs that open the database: of each, the object and the container. */
const OPENS_DATABASE = [
  ['Deployment/control-plane', 'wait-for-migration'],
  ['Deployment/control-plane', 'control-plane'],
  ['Job/control-plane-migration', 'migrate'],
] as const;

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

/** A block of a guide. @param begins how its text begins */
function shownYaml(guide: string, begins: string): string {
  const blocks = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const [shown] = blocks.filter((text) => text.startsWith(begins));
  if (shown === undefined) throw new Error(`no block begins with ${begins}`);
  return shown;
}

/** Keys of the secrets that the guide has people create, as `secret/key`. */
const documentedKeys = (): string[] =>
  [...GUIDE.matchAll(/create secret generic ([\w-]+)((?:[^\n]*\\\n)*[^\n]*)/g)].flatMap(([, name, rest = '']) =>
    [...rest.matchAll(/--from-(?:literal|file)=([\w.-]+)=/g)].map(([, key]) => `${name}/${key}`),
  );

describeWith(['kubectl'], 'the manifests for Kubernetes', () => {
  describe.each(OVERLAYS)('of the overlay %s', (overlay) => {
    const hasService = (WITH_SERVICE as readonly string[]).includes(overlay);
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = rendered(`overlays/${overlay}`);
    });

    const named = (kind: string, name: string) =>
      manifests.filter((one) => one.kind === kind && one.metadata.name === name);
    const names = (kind: string) => manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);

    it('have the controller and, unless the service is elsewhere, all of the service in one namespace', () => {
      const ofService = (...those: string[]) => (hasService ? those : []);
      expect(names('Deployment').sort()).toEqual(['ccp-controller', ...ofService('control-plane')]);
      expect(names('Job')).toEqual(ofService('control-plane-migration'));
      expect(names('PodDisruptionBudget')).toEqual(ofService('control-plane'));
      expect(names('NetworkPolicy')).toContain('nothing-by-default');
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

    it('have only containers without rights, as the restricted standard of their namespace demands', () => {
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

    it('name each image with a version, their own with that of the package', () => {
      const images = podsOf(manifests)
        .flatMap(containersOf)
        .map(({ image }) => image);
      expect(images.filter((image) => withoutVersion.test(image))).toEqual([]);
      const own = images.filter((image) => /checkpoint-control-plane|ccp-agent/.test(image));
      const expected = [`ccp-agent:${version}`, ...(hasService ? [`checkpoint-control-plane:${version}`] : [])];
      expect([...new Set(own)].sort()).toEqual(expected);
    });

    it('have limits of memory, requests, and probes for all that serves', () => {
      for (const pods of podsOf(manifests))
        for (const container of containersOf(pods)) {
          expect([container.name, container.resources]).toEqual([
            container.name,
            { requests: { cpu: expect.anything(), memory: expect.anything() }, limits: { memory: expect.anything() } },
          ]);
        }
      const serving = podsOf(manifests).filter(({ of }) => !of.startsWith('Job/') && !WITHOUT_PROBES.includes(of));
      expect(serving.length > 0).toBe(hasService);
      for (const { spec } of serving)
        for (const { name, startupProbe, readinessProbe, livenessProbe, ports = [] } of spec.containers)
          for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
            expect([name, probe]).toEqual([name, expect.anything()]);
            if (probe?.httpGet) expect(ports.map((port) => port.name)).toContain(probe.httpGet.port);
          }
    });

    it('refer only to objects that are there', () => {
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
      expect(labelsOfPods.length).toBeGreaterThan(hasService ? 2 : 0);
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

    it('have no secret, and name only keys that the guide creates', () => {
      expect(names('Secret')).toEqual([]);
      const keys = secretKeysOf(manifests);
      expect(keys.length).toBeGreaterThan(1);
      expect(keys.filter((key) => !documentedKeys().includes(key))).toEqual([]);
    });

    it('give the controller the key that signs the checkpoints of the workloads', () => {
      const [pods] = podsOf(manifests).filter(({ of }) => of === 'Deployment/ccp-controller');
      const { env = [] } = containersOf(pods!)[0]!;
      expect(env).toContainEqual({ name: 'CCP_STORE_KEY_FILE', value: '/var/run/secrets/ccp/store-key' });
      expect(secretKeysOf(manifests)).toContain('ccp-controller-token/store-key');
    });

    it('let their pods reach other pods also where an address block has none', () => {
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
        spec: { egress?: { to?: { ipBlock?: object }[] }[] };
      }[];
      const peers = policies
        .flatMap(({ spec }) => (spec.egress ?? []).map(({ to = [] }) => to))
        .filter((to) => to.some(({ ipBlock }) => ipBlock));
      expect(peers.length).toBeGreaterThan(hasService ? 2 : 0);
      for (const to of peers) expect(to).toContainEqual({ namespaceSelector: {} });
    });

    it('replace a controller soon after its node has failed, and spread several over the nodes', () => {
      const [pods] = podsOf(manifests).filter(({ of }) => of === 'Deployment/ccp-controller');
      const { tolerations = [], topologySpreadConstraints: spread = [] } = pods!.spec;
      expect(tolerations.map(({ key, effect, tolerationSeconds: seconds }) => [key, effect, seconds])).toEqual([
        ['node.kubernetes.io/not-ready', 'NoExecute', 30],
        ['node.kubernetes.io/unreachable', 'NoExecute', 30],
      ]);
      const { replicas = 0 } = named('Deployment', 'ccp-controller')[0]?.spec ?? {};
      expect(replicas).toBe(overlay === 'one-machine' ? 1 : 2);
      const hosts = spread.filter(({ labelSelector }) => selects(labelSelector.matchLabels, pods!.labels));
      expect(hosts.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual(
        replicas > 1 ? [['kubernetes.io/hostname', 'ScheduleAnyway']] : [],
      );
    });

    // Pods that a rollout replaces would count, and the new ones end up on one node.
    it('spread the pods of one revision, not those that a rollout replaces', () => {
      const spread = podsOf(manifests).flatMap(({ of, spec }) =>
        (spec.topologySpreadConstraints ?? []).map(({ matchLabelKeys }) => ({ of, matchLabelKeys })),
      );
      expect(spread.filter(({ of }) => of === 'Deployment/control-plane')).toHaveLength(hasService ? 2 : 0);
      for (const { matchLabelKeys } of spread) expect(matchLabelKeys).toEqual(['pod-template-hash']);
    });

    it('run a controller of this cluster, with its token in a file and its state in memory', () => {
      const [deployment] = named('Deployment', 'ccp-controller');
      const controller = deployment?.spec?.template?.spec.containers[0] as ContainerSpec;
      expect(controller.args).toEqual(['kubernetes', '--cluster', '$(CLUSTER_NAME)']);
      const map = names('ConfigMap').find((name) => name.startsWith('ccp-controller-')) ?? '';
      expect(named('ConfigMap', map)[0]?.data).toEqual({
        CLUSTER_NAME: hasService ? 'kubernetes' : expect.not.stringMatching(/^kubernetes$/),
        CCP_URL: hasService ? 'http://control-plane.checkpoint-control-plane' : 'https://control-plane.example.com',
        CCP_STORE: 'service',
      });
      const mounts = Object.fromEntries((controller.volumeMounts ?? []).map((mount) => [mount.name, mount.mountPath]));
      expect(mounts).toEqual({ token: '/var/run/secrets/ccp', tmp: '/tmp' });
    });
  });

  describe.each(WITH_SERVICE)('of the overlay %s', (overlay) => {
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = rendered(`overlays/${overlay}`);
    });

    it('give each program that opens the database the same addresses, and the same authority for certificates', () => {
      const pods = podsOf(manifests);
      const programs = OPENS_DATABASE.map(([owner, name]) => {
        const { spec } = pods.find(({ of }) => of === owner)!;
        const container = containersOf({ of: owner, labels: {}, spec }).find((one) => one.name === name);
        return {
          addresses: container?.env?.filter((one) => ['DATABASE_URL', 'DATABASE_LISTEN_URL'].includes(one.name)),
          mount: container?.volumeMounts?.find((one) => one.name === 'database-ca'),
          volume: spec.volumes?.find((one) => one.name === 'database-ca'),
        };
      });
      const [program] = programs;
      expect(program?.addresses).toHaveLength(2);
      expect(program?.mount).toMatchObject({ mountPath: '/etc/control-plane/database-ca', readOnly: true });
      expect(program?.volume?.secret).toMatchObject({ optional: true, items: [{ key: 'ca.crt' }] });
      for (const other of programs) expect(other).toEqual(program);
    });

    it('take each variable with a secret from a secret, those that not everybody has from an optional one', () => {
      const pods = podsOf(manifests).find(({ of }) => of === 'Deployment/control-plane');
      const { env = [] } = pods!.spec.containers[0]!;
      const isOptional = Object.fromEntries(
        env.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef && (valueFrom.secretKeyRef.optional ?? false)]),
      );
      expect(isOptional).toMatchObject({
        DATABASE_URL: false,
        DATABASE_READ_URL: true,
        MARKETPLACE_API_KEY: true,
        OTEL_EXPORTER_OTLP_HEADERS: true,
        BOOTSTRAP_TOKEN: true,
      });
    });

    it('are stopped by the guide in as much time as a replica has, before the migration of an incompatible release', () => {
      const pods = podsOf(manifests);
      const [, selector = '', label = '', seconds] =
        /--replicas=0\nkubectl wait --for=delete pod --selector=([\w./-]+)=([\w-]+) --timeout=(\d+)s\n/.exec(GUIDE) ??
        [];
      const waited = pods.filter(({ labels }) => selects({ [selector]: label }, labels));
      expect(waited.map(({ of }) => of)).toEqual(['Deployment/control-plane']);
      expect(Number(seconds)).toBeGreaterThan(waited[0]?.spec.terminationGracePeriodSeconds ?? Infinity);
    });
  });

  it('have several replicas for production, and no PostgreSQL of their own', () => {
    const manifests = rendered('overlays/production');
    const service = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'control-plane');
    const { replicas = 0, strategy } = service?.spec ?? {};
    expect(replicas).toBeGreaterThan(2);
    // All that run, those of the upgrade, and the old ones that have not ended.
    const connections = (replicas + (strategy?.rollingUpdate?.maxSurge ?? NaN) + replicas) * (2 * 10 + 4) + 10;
    expect(GUIDE).toContain(`Three replicas need up to ${connections} connections during an upgrade`);
    expect(SIZING).toContain(`three replicas need ${connections},`);
    expect(manifests.filter(({ kind }) => kind === 'StatefulSet' || kind === 'PersistentVolumeClaim')).toEqual([]);
  });

  it('have keys of a bucket in production only where no role gives them', () => {
    const pods = podsOf(rendered('overlays/production')).find(({ of }) => of === 'Deployment/control-plane');
    const keys = (pods?.spec.containers[0]?.env ?? []).filter(({ name }) => name.startsWith('OBJECT_STORAGE_'));
    expect(keys.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef?.optional])).toEqual([
      ['OBJECT_STORAGE_ACCESS_KEY_ID', true],
      ['OBJECT_STORAGE_SECRET_ACCESS_KEY', true],
    ]);
  });

  it('have a monitor whose ports and labels are those of the service', () => {
    const [monitor] = manifestsIn('components/service-monitor/service-monitor.yaml');
    const service = rendered('base/service').find(({ kind }) => kind === 'Service');
    expect(selects(monitor?.spec?.selector?.matchLabels ?? {}, service?.metadata.labels ?? {})).toBe(true);
    const ports = service?.spec?.ports?.map(({ name }) => name);
    for (const { port } of monitor?.spec?.endpoints ?? []) expect(ports).toContain(port);
    expect(documentedKeys()).toContain('control-plane-metrics/token');
  });

  it('have a monitor with the jobs and labels of the other scraping, so that no two endpoints are one target', () => {
    const [monitor] = manifestsIn('components/service-monitor/service-monitor.yaml');
    const { scrape_configs: jobs } = parse(SCRAPING) as {
      scrape_configs: { job_name: string; metrics_path?: string; static_configs: { labels?: object }[] }[];
    };
    const targets = (monitor?.spec?.endpoints ?? []).map(({ path, relabelings = [] }) => ({
      path,
      // The operator names a job after the service.
      job: monitor?.metadata.name,
      ...Object.fromEntries(relabelings.map(({ targetLabel, replacement }) => [targetLabel, replacement])),
    }));
    expect(targets).toEqual(
      jobs.map(({ job_name: job, metrics_path: path = '/metrics', static_configs: [scraped] }) => ({
        path,
        job,
        ...scraped?.labels,
      })),
    );
    expect(new Set(targets.map(({ job }) => job)).size).toBe(targets.length);
  });

  describe('in an overlay of the guides', () => {
    const settings = (manifests: readonly Manifest[], name: string) =>
      manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${name}-`))?.data;

    it('have the images and the settings of that overlay, and an endpoint for each organisation', () => {
      const added =
        'components: [github.com/you/checkpoint-control-plane/docker/kubernetes/components/service-monitor?ref=main]\n';
      const manifests = renderedElsewhere(
        shownYaml(GUIDE, '# kustomization.yaml') + added + shownYaml(GUIDE, 'patches:'),
      );
      expect(settings(manifests, 'control-plane')).toMatchObject({
        PUBLIC_URL: 'https://control-plane.example.com',
        OBJECT_STORAGE_BUCKET: 'your-bucket',
        OBJECT_STORAGE_REGION: 'us-east-1',
        DRAIN_DELAY_SECONDS: '5',
      });
      for (const { image } of podsOf(manifests).flatMap(containersOf))
        expect(image).toMatch(/^registry\.example\.com\//);
      const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor');
      const organisations = (monitor?.spec?.endpoints ?? []).map(
        ({ relabelings = [] }) => relabelings.find(({ targetLabel }) => targetLabel === 'organisation')?.replacement,
      );
      expect(organisations).toEqual([undefined, 'default', 'research']);
    });

    it('have the label that kube-prometheus-stack looks for, on the monitor and the rules alone', () => {
      const names = ['service-monitor', 'prometheus-rules'];
      const added = names.map((name) => `github.com/you/project/docker/kubernetes/components/${name}?ref=main`);
      const manifests = renderedElsewhere(
        `${shownYaml(GUIDE, '# kustomization.yaml')}components: [${added.join(', ')}]\n` +
          shownYaml(GUIDE, '# of your overlay, for kube-prometheus-stack'),
      );
      const labelled = manifests.filter(({ metadata }) => metadata.labels?.release === 'monitoring');
      expect(labelled.map(({ kind }) => kind).sort()).toEqual(['PrometheusRule', 'ServiceMonitor']);
    });

    it('have an Ingress that leads to the service, and serves no metrics outside', () => {
      const { metadata, spec } = parse(shownYaml(GUIDE, 'apiVersion: networking.k8s.io/v1')) as {
        metadata: { namespace: string; annotations: Record<string, string> };
        spec: {
          rules: {
            http: { paths: { path: string; backend: { service: { name: string; port: { name: string } } } }[] };
          }[];
        };
      };
      const paths = spec.rules.flatMap(({ http }) => http.paths);
      expect(paths.map(({ path }) => path).sort()).toEqual(['/console', '/docs', '/openai', '/readyz', '/v1']);
      const service = rendered('base/service').find(({ kind }) => kind === 'Service');
      for (const { backend } of paths)
        expect(backend.service).toEqual({
          name: service?.metadata.name,
          port: { name: service?.spec?.ports?.[0]?.name },
        });
      expect(metadata.namespace).toBe(service?.metadata.namespace);
      const waits = Number(metadata.annotations['nginx.ingress.kubernetes.io/proxy-read-timeout']);
      expect(waits).toBeGreaterThan(readEnvironment({}).workerAnswerTimeoutSeconds);
    });

    it('have a controller alone, with the name of its cluster and the address of the service', () => {
      const manifests = renderedElsewhere(shownYaml(AGENT_GUIDE, '# kustomization.yaml'));
      expect(podsOf(manifests).map(({ of }) => of)).toEqual(['Deployment/ccp-controller']);
      expect(settings(manifests, 'ccp-controller')).toMatchObject({
        CLUSTER_NAME: 'production',
        CCP_URL: 'https://control-plane.example.com',
        CCP_STORE: 'service',
      });
      const [controller] = podsOf(manifests).flatMap(containersOf);
      expect(controller?.image).toBe(`registry.example.com/ccp-agent:${version}`);
      expect(AGENT_GUIDE).toContain('create secret generic ccp-controller-token');
    });

    it('have a controller that runs workers, with their template, and that may reach them', () => {
      const template = shownYaml(WORKERS_GUIDE, 'metadata:');
      const manifests = renderedElsewhere(shownYaml(WORKERS_GUIDE, '# kustomization.yaml'), {
        'worker.yaml': template,
      });
      const [pods] = podsOf(manifests);
      const [controller] = containersOf(pods!);
      const option = (name: string) => controller?.args?.find((one) => one.startsWith(`${name}=`))?.split('=')[1] ?? '';
      expect(controller?.args).toEqual(expect.arrayContaining(['kubernetes', '--workers']));
      const mount = controller?.volumeMounts?.find(
        ({ mountPath }) => mountPath === dirname(option('--worker-template')),
      );
      const volume = pods!.spec.volumes?.find(({ name }) => name === mount?.name);
      const map = manifests.find(({ metadata }) => metadata.name === volume?.configMap?.name);
      expect(map?.data).toEqual({ [basename(option('--worker-template'))]: template });
      expect(WORKERS_GUIDE).toContain(
        `create secret generic ${option('--worker-secret')} --namespace ${option('--worker-namespace')}`,
      );
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
        spec: { egress?: { to?: object[]; ports?: object[] }[] };
      }[];
      const anyPort = policies.flatMap(({ spec }) => spec.egress ?? []).filter(({ ports }) => ports === undefined);
      expect(anyPort).toEqual([
        {
          to: [
            {
              namespaceSelector: {},
              podSelector: { matchExpressions: [{ key: WORKERS_OF, operator: 'Exists' }] },
            },
          ],
        },
      ]);
    });
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
