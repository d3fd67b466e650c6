import { oneOf, rowsOf } from '../../api/rows';
import type { Schemas, Service } from '../../api/service';
import { usage } from '../../failures';
import { kindNamed } from '../../kinds/kinds';
import type { Run } from '../context';
import { clusterIdOf } from '../values';
import { finish, request, type RequestOptions } from './request';

interface Options extends RequestOptions {
  readonly cluster?: string;
  readonly letGo?: boolean;
}

interface PodOptions extends Options {
  readonly namespace?: string;
  readonly containers?: string;
}

export const checkpointPod: Run<PodOptions> = async (context, options, [name = '']) => {
  const service = context.service();
  const { namespace, cluster, containers } = options;
  const filters = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(cluster === undefined ? {} : { cluster_id: await clusterIdOf(service, cluster) }),
  };
  const pod = (await oneOf(service, kindNamed('pod'), name, filters)) as Schemas['PodView'];
  const body = {
    pod_id: pod.id,
    reason: 'manual' as const,
    leave_running: options.letGo !== true,
    ...(containers === undefined ? {} : { containers: containers.split(',').map((one) => one.trim()) }),
  };
  const actionId = await request(service, 'checkpoint_pod', pod.id, options, (api, header) =>
    api.POST('/v1/checkpoint/pod', { params: { header }, body, parseAs: 'text' }),
  );
  await finish(context, service, actionId, options);
};

export const checkpointJob: Run<Options> = async (context, options, [job = '']) => {
  const service = context.service();
  const clusterId =
    options.cluster === undefined ? await onlySlurmCluster(service) : await clusterIdOf(service, options.cluster);
  const body = {
    cluster_id: clusterId,
    ...(/^\d+$/.test(job) ? { job_id: job } : { job_name: job }),
    reason: 'manual' as const,
    leave_running: options.letGo !== true,
  };
  const actionId = await request(service, 'checkpoint_slurm_job', job, options, (api, header) =>
    api.POST('/v1/slurm/checkpoint/job', { params: { header }, body, parseAs: 'text' }),
  );
  await finish(context, service, actionId, options);
};

async function onlySlurmCluster(service: Service): Promise<string> {
  const clusters = kindNamed('cluster');
  const { rows } = await rowsOf(service, clusters, { kind: 'slurm' }, 2);
  const [first, second] = rows;
  if (first !== undefined && second === undefined) return clusters.id(first);
  throw usage(
    first === undefined ? 'There is no cluster of Slurm.' : 'There are several clusters of Slurm: --cluster names one.',
    '"ccp get clusters --kind slurm" shows them.',
  );
}
