import type { Seeded } from './seed';

/** What pages of the seeded organisation are about. */
export type Shown = Seeded & { readonly experimentId: string };

interface Addressed {
  /** With something of the state of the page. */
  readonly path: (shown: Shown) => string;
  /** What it says to an organisation that has nothing. */
  readonly empty: string;
  /** It is about one thing, which an organisation that has nothing does not have. */
  readonly isOfOne?: true;
}

/** Each page of the console, and each tab that has a request of its own. */
export const PAGES: Readonly<Record<string, Addressed>> = {
  overview: { path: () => '', empty: 'No attempt failed' },
  operations: { path: () => '/operations?result=failed', empty: 'No operations match these filters' },
  operation: { path: ({ failedId }) => `/operations/${failedId}`, empty: 'operation_not_found', isOfOne: true },
  clusters: { path: () => '/clusters', empty: 'No cluster has registered yet' },
  cluster: {
    path: ({ clusterId }) => `/clusters/${clusterId}`,
    empty: 'There is no cluster with this id',
    isOfOne: true,
  },
  pods: { path: () => '/workloads?namespace=training', empty: 'No pods match these filters' },
  jobs: { path: () => '/workloads?tab=jobs', empty: 'No cluster reports jobs' },
  'slurm jobs': { path: () => '/workloads?tab=slurm', empty: 'No Slurm job was reported yet' },
  policies: { path: () => '/policies?week=2026-11-16&show=table', empty: 'There is no policy yet' },
  'automatic restores': {
    path: () => '/policies?tab=automatic&resource=pods',
    empty: 'No automatic restores match these filters',
  },
  profiles: { path: () => '/profiles?state=asleep', empty: 'There is no profile yet' },
  profile: { path: () => '/profiles/llama-h100?starts=table', empty: 'profile_not_found', isOfOne: true },
  artifact: { path: () => '/artifacts/llama-1?node=gpu-node-5', empty: 'artifact_not_found', isOfOne: true },
  routes: { path: () => '/routes?name=llama', empty: 'No model has a route yet' },
  route: { path: () => '/routes/llama', empty: 'This model has no route', isOfOne: true },
  costs: { path: () => '/costs?window=24h', empty: 'There is no profile yet' },
  metrics: { path: () => '/metrics?window=6h&layer=memory', empty: 'No GPU was reported' },
  'metrics of pods': { path: () => '/metrics?tab=pods', empty: 'No pod was reported in the last 5 minutes' },
  'metrics of nodes': { path: () => '/metrics?tab=nodes', empty: 'No node was reported yet' },
  experiments: { path: () => '/experiments', empty: 'No experiment was started yet' },
  experiment: {
    path: ({ experimentId }) => `/experiments/${experimentId}`,
    empty: 'There is no experiment with this id',
    isOfOne: true,
  },
  keys: { path: () => '/keys?order=newest', empty: 'There is no inference key yet' },
  audit: { path: () => '/audit?resource=route', empty: 'No changes match these filters' },
  outbox: { path: () => '/outbox', empty: 'Nothing has read the outbox yet' },
  slurm: { path: () => '/slurm?by=load', empty: 'No Slurm cluster has registered yet' },
  'maintenance windows': { path: () => '/slurm?tab=maintenance&when=all', empty: 'There is no maintenance window yet' },
  instances: { path: () => '/instances', empty: 'No marketplace is configured' },
  prices: { path: () => '/instances?tab=prices', empty: 'No price was entered yet' },
  plugins: { path: () => '/plugins?build=alpha', empty: 'No plugins match these filters' },
};
