import { runKubernetesController } from '../../controllers/kubernetes/kubernetes-controller';
import type { Context } from '../context';
import { runController } from './controller';

interface Options {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly drain: boolean;
  readonly logLevel: string;
}

/** Until a signal ends it. */
export function kubernetes(context: Context, options: Options): Promise<void> {
  const { cluster, kubeconfig, context: of, namespace, drain, logLevel } = options;
  return runController(context, 'kubernetes', logLevel, (shared) =>
    runKubernetesController({
      ...shared,
      ...{ clusterName: cluster, kubeconfig, context: of, namespaces: namespace, drain },
    }),
  );
}
