import { runHost } from '../../controllers/host/host-controller';
import type { Context } from '../context';
import { profilesOf, runController } from './controller';

interface Options {
  readonly cluster: string;
  readonly node?: string;
  readonly namespace?: readonly string[];
  readonly standby: boolean;
  readonly workers?: boolean;
  readonly profiles?: string;
  readonly logLevel: string;
}

/** Until a signal ends it. */
export function host(context: Context, options: Options): Promise<void> {
  const { cluster, node, namespace, standby, workers, profiles, logLevel } = options;
  const ids = profilesOf(workers, profiles);
  return runController(context, 'host', logLevel, (shared) =>
    runHost({
      ...shared,
      ...{ clusterName: cluster, nodeName: node, namespaces: namespace, standby, workers },
      profiles: ids,
    }),
  );
}
