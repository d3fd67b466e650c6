import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
  type AnyRoute,
} from '@tanstack/react-router';
import { artifactSearch } from './pages/artifact/artifact-search';
import { auditSearch } from './pages/audit/audit-search';
import { clusterSearch } from './pages/cluster/cluster-search';
import { clustersSearch } from './pages/clusters/clusters-search';
import { costsSearch } from './pages/costs/costs-search';
import { instancesSearch } from './pages/instances/instances-search';
import { experimentSearch } from './pages/experiment/experiment-search';
import { experimentsSearch } from './pages/experiments/experiments-search';
import { keysSearch } from './pages/keys/keys-search';
import { metricsSearch } from './pages/metrics/metrics-search';
import { operationsSearch } from './pages/operations/operations-search';
import { pluginsSearch } from './pages/plugins/plugins-search';
import { policiesSearch } from './pages/policies/policies-search';
import { profileSearch } from './pages/profile/profile-search';
import { profilesSearch } from './pages/profiles/profiles-search';
import { routesSearch } from './pages/routes/routes-search';
import { slurmSearch } from './pages/slurm/slurm-search';
import { workloadsSearch } from './pages/workloads/workloads-search';
import { NoSuchPage, PageFailed } from './shell/fallbacks';
import { Root } from './shell/root';

/** Every page, in a chunk of its own. What a page keeps in its address is checked by its `…-search.ts`. */

const root = createRootRoute({ component: Root, notFoundComponent: NoSuchPage, errorComponent: PageFailed });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview-page'), 'OverviewPage'),
});

const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  validateSearch: operationsSearch,
  component: lazyRouteComponent(() => import('./pages/operations/operations-page'), 'OperationsPage'),
});

const operation = createRoute({
  getParentRoute: () => root,
  path: '/operations/$id',
  component: lazyRouteComponent(() => import('./pages/operation/operation-page'), 'OperationPage'),
});

const clusters = createRoute({
  getParentRoute: () => root,
  path: '/clusters',
  validateSearch: clustersSearch,
  component: lazyRouteComponent(() => import('./pages/clusters/clusters-page'), 'ClustersPage'),
});

const cluster = createRoute({
  getParentRoute: () => root,
  path: '/clusters/$id',
  validateSearch: clusterSearch,
  component: lazyRouteComponent(() => import('./pages/cluster/cluster-page'), 'ClusterPage'),
});

const workloads = createRoute({
  getParentRoute: () => root,
  path: '/workloads',
  validateSearch: workloadsSearch,
  component: lazyRouteComponent(() => import('./pages/workloads/workloads-page'), 'WorkloadsPage'),
});

const slurm = createRoute({
  getParentRoute: () => root,
  path: '/slurm',
  validateSearch: slurmSearch,
  component: lazyRouteComponent(() => import('./pages/slurm/slurm-page'), 'SlurmPage'),
});

const instances = createRoute({
  getParentRoute: () => root,
  path: '/instances',
  validateSearch: instancesSearch,
  component: lazyRouteComponent(() => import('./pages/instances/instances-page'), 'InstancesPage'),
});

const plugins = createRoute({
  getParentRoute: () => root,
  path: '/plugins',
  validateSearch: pluginsSearch,
  component: lazyRouteComponent(() => import('./pages/plugins/plugins-page'), 'PluginsPage'),
});

const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  validateSearch: policiesSearch,
  component: lazyRouteComponent(() => import('./pages/policies/policies-page'), 'PoliciesPage'),
});

const profiles = createRoute({
  getParentRoute: () => root,
  path: '/profiles',
  validateSearch: profilesSearch,
  component: lazyRouteComponent(() => import('./pages/profiles/profiles-page'), 'ProfilesPage'),
});

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profiles/$id',
  validateSearch: profileSearch,
  component: lazyRouteComponent(() => import('./pages/profile/profile-page'), 'ProfilePage'),
});

const artifact = createRoute({
  getParentRoute: () => root,
  path: '/artifacts/$id',
  validateSearch: artifactSearch,
  component: lazyRouteComponent(() => import('./pages/artifact/artifact-page'), 'ArtifactPage'),
});

const modelRoutes = createRoute({
  getParentRoute: () => root,
  path: '/routes',
  validateSearch: routesSearch,
  component: lazyRouteComponent(() => import('./pages/routes/routes-page'), 'RoutesPage'),
});

const modelRoute = createRoute({
  getParentRoute: () => root,
  path: '/routes/$model',
  component: lazyRouteComponent(() => import('./pages/route/route-page'), 'RoutePage'),
});

const metrics = createRoute({
  getParentRoute: () => root,
  path: '/metrics',
  validateSearch: metricsSearch,
  component: lazyRouteComponent(() => import('./pages/metrics/metrics-page'), 'MetricsPage'),
});

const experiments = createRoute({
  getParentRoute: () => root,
  path: '/experiments',
  validateSearch: experimentsSearch,
  component: lazyRouteComponent(() => import('./pages/experiments/experiments-page'), 'ExperimentsPage'),
});

const experiment = createRoute({
  getParentRoute: () => root,
  path: '/experiments/$id',
  validateSearch: experimentSearch,
  component: lazyRouteComponent(() => import('./pages/experiment/experiment-page'), 'ExperimentPage'),
});

const costs = createRoute({
  getParentRoute: () => root,
  path: '/costs',
  validateSearch: costsSearch,
  component: lazyRouteComponent(() => import('./pages/costs/costs-page'), 'CostsPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import('./pages/keys/keys-page'), 'KeysPage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page'), 'AuditPage'),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  component: lazyRouteComponent(() => import('./pages/outbox/outbox-page'), 'OutboxPage'),
});

const routes = [
  overview,
  operations,
  operation,
  clusters,
  cluster,
  workloads,
  slurm,
  instances,
  plugins,
  policies,
  profiles,
  profile,
  artifact,
  modelRoutes,
  modelRoute,
  metrics,
  experiments,
  experiment,
  costs,
  keys,
  audit,
  outbox,
] as const satisfies readonly AnyRoute[];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Plain text, which people can read and change: `?result=failed&window=24h`.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

export { RouterProvider };
