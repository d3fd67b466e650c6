/** The pages that the navigation and the command palette list. A page is found here once it is complete. */
export const NAVIGATION = [
  { to: '/', label: 'Overview', words: 'home start' },
  { to: '/operations', label: 'Operations', words: 'checkpoints restores failures attempts' },
  { to: '/workloads', label: 'Workloads', words: 'pods jobs slurm' },
  { to: '/clusters', label: 'Clusters', words: 'nodes fleet map hosts' },
  { to: '/slurm', label: 'Slurm', words: 'partitions nodes load maintenance windows ended jobs checkpoints' },
  { to: '/policies', label: 'Policies', words: 'schedule calendar heartbeat maintenance periodic automatic' },
  { to: '/profiles', label: 'Profiles', words: 'models workers starts wake suspend sleep artifacts' },
  { to: '/routes', label: 'Routes', words: 'models targets chat try serving' },
  { to: '/instances', label: 'Instances', words: 'bursting rent machines marketplace gpu prices types' },
  { to: '/plugins', label: 'Plugins', words: 'binaries versions install script publish upload download' },
  { to: '/metrics', label: 'Metrics', words: 'gpu utilisation memory heat map pods nodes cpu prometheus dcgm' },
  { to: '/experiments', label: 'Experiments', words: 'load tests baseline treatment compare' },
  { to: '/costs', label: 'Costs', words: 'money savings idle price dollars' },
  { to: '/keys', label: 'Keys', words: 'inference access tokens budget spending revoke' },
  { to: '/audit', label: 'Audit', words: 'who changed what when' },
  { to: '/outbox', label: 'Outbox', words: 'events consumers lag' },
] as const;
