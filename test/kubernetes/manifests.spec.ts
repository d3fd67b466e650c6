import { writeFileSync } from 'node:fs';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { manifestsIn, OVERLAYS, rendered, type Manifest } from '../docker/support/manifests';
import { Kubernetes } from './support/kubernetes';

const NAMESPACE = 'checkpoint-control-plane';

/** The newest release that can be built here has disruption budgets in an earlier version only. */
const forOldServer = (manifest: Manifest): Manifest =>
  manifest.kind === 'PodDisruptionBudget' ? { ...manifest, apiVersion: 'policy/v1beta1' } : manifest;

const named = ({ kind, metadata: { name, namespace } }: Manifest): string => `${namespace ?? ''} ${kind} ${name}`;

interface Stored {
  readonly metadata: { readonly name: string };
}

describeWith(['Kubernetes'], 'the manifests, on a real API server', () => {
  let kubernetes: Kubernetes;
  beforeAll(async () => {
    kubernetes = await Kubernetes.start();
  });
  afterAll(() => kubernetes?.stop());

  /** Sent as JSON, in their order. @returns what kubectl says of each */
  async function apply(manifests: readonly Manifest[], ...flags: string[]): Promise<string[]> {
    const file = kubernetes.path('manifests.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests.map(forOldServer) }));
    const said = await kubernetes.kubectl('apply', '--server-side', '--force-conflicts', ...flags, '--filename', file);
    return said.trim().split('\n');
  }

  const namespaces = (manifests: readonly Manifest[]) => manifests.filter(({ kind }) => kind === 'Namespace');

  describe.each(OVERLAYS)('the overlay %s', (overlay) => {
    const manifests = rendered(`overlays/${overlay}`);
    afterAll(() => kubernetes.kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found'));

    it('is accepted as a whole, at first without being stored', async () => {
      await apply(namespaces(manifests));
      const dry = await apply(manifests, '--dry-run=server');
      expect(dry.filter((line) => /serverside-applied \(server dry run\)$/.test(line))).toHaveLength(manifests.length);
      await expect(kubernetes.get('deployment', 'control-plane', NAMESPACE)).rejects.toThrow('not found');

      const said = await apply(manifests);
      expect(said.filter((line) => line.endsWith('serverside-applied'))).toHaveLength(manifests.length);
      for (const { kind, metadata } of manifests)
        expect((await kubernetes.get<Stored>(kind, metadata.name, NAMESPACE)).metadata.name).toBe(metadata.name);
    });

    it('makes the pods that it names, which nothing but a missing node keeps from their start', async () => {
      const wanted = manifests.flatMap(({ kind, spec, metadata: { name } }) =>
        spec?.template ? Array.from({ length: spec.replicas ?? 1 }, () => `${kind} ${name}`) : [],
      );
      await eventually(async () => {
        const text = await kubernetes.kubectl('get', 'pods', '--namespace', NAMESPACE, '--output=json');
        const { items } = JSON.parse(text) as { items: { status: { phase: string; conditions?: Condition[] } }[] };
        if (items.length !== wanted.length) throw new Error(`${items.length} of ${wanted.length} pods`);
        const reasons = items.flatMap(({ status }) => (status.conditions ?? []).map(({ message }) => message ?? ''));
        // Its claims have no volumes here either, which the scheduler says first.
        const known = reasons.filter((reason) => /no nodes available|unbound immediate/.test(reason));
        if (known.length !== items.length) throw new Error(JSON.stringify(reasons));
      });
    });

    it('gives its controller the rights of its role, and no others', async () => {
      const token = await kubernetes.tokenOf('ccp-controller', NAMESPACE);
      const config = kubernetes.kubeconfigOf(`controller-${overlay}`, token);
      const may = async (...question: string[]): Promise<string> =>
        (
          await kubernetes
            .kubectl('--kubeconfig', config, 'auth', 'can-i', ...question)
            .catch((error: { stdout: string }) => error.stdout)
        ).trim();
      for (const question of ['list pods', 'watch nodes', 'create pods', 'delete pods', 'create pods/exec'])
        expect([question, await may(...question.split(' '), '--all-namespaces')]).toEqual([question, 'yes']);
      expect(await may('create', 'leases.coordination.k8s.io', '--namespace', NAMESPACE)).toBe('yes');
      for (const question of ['get secrets', 'delete nodes', 'create clusterroles', 'create leases'])
        expect([question, await may(...question.split(' '), '--all-namespaces')]).toEqual([question, 'no']);
    });

    it('is applied again without a change', async () => {
      const versions = async (): Promise<string> =>
        kubernetes.kubectl(
          ...['get', 'deployments,services,networkpolicies,configmaps', '--namespace', NAMESPACE],
          '--output=custom-columns=N:.metadata.name,G:.metadata.generation',
        );
      const before = await versions();
      await apply(manifests);
      expect(await versions()).toBe(before);
    });
  });

  it('has an example of a job that the API server accepts', async () => {
    const manifests = manifestsIn('examples/training-job.yaml');
    await apply(namespaces(manifests));
    expect(await apply(manifests, '--dry-run=server')).toHaveLength(manifests.length);
    expect(manifests.map(named)).toEqual([' Namespace training', 'training Job counter']);
  });
});

interface Condition {
  readonly message?: string;
}
