import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { CHECKPOINT_PATHS, CheckpointReports, OF_JOB } from '../../controllers/common/reports/checkpoint-reports';
import { members } from '../../controllers/common/members';
import { CONTAINER } from '../../controllers/host/pod-resources';
import { getAction } from '../../controllers/common/requests/open-actions';
import { AgentFailure, failureOf } from '../../failures';
import { podOfThisProcess } from '../../kubernetes/pod-identity';
import { jobOfThisProcess, type JobEnvironment } from '../../slurm/job-identity';
import { ServiceClient } from '../../service/client';
import type { Settings } from '../../settings/settings';
import { storeOf } from '../../store/stores';
import type { LastCheckpoint } from '../../supervisor/supervisor';
import type { WorkloadFolder } from '../../supervisor/state/workload-folder';

/** The grace period is for the checkpoint: a service that is slow or away must not take it. */
const DEADLINE_MS = 2_000;
const RETRIES = { attempts: 2, firstPauseMs: 100, longestPauseMs: 200 };
const NS_PER_MS = 1e6;
/** The supervisor says where the checkpoint is. */
const NOTHING = (): void => undefined;

/**
 * Asks the service for the checkpoint that a supervisor takes before the end, as anybody would, so that it is
 * known and can be restored. The controller gets the request too, and joins the same checkpoint; but it may
 * end at the same moment, so the supervisor reports as well. Both say the same.
 * @throws ServiceProblem if the service does not know the pod, AgentFailure if it does not know the job
 */
export async function announceLastCheckpoint(
  settings: Settings,
  folder: WorkloadFolder,
  uid: string,
): Promise<LastCheckpoint> {
  const began = performance.now();
  const service = new ServiceClient({ ...settings, deadlineMs: DEADLINE_MS, retries: RETRIES });
  // A pod has several containers, and each may be started again: this is asked once in a run.
  const header = { 'Idempotency-Key': `last-checkpoint/${uid}/${randomUUID()}` };
  const job = jobOfThisProcess();
  const container = process.env.CCP_CONTAINER_NAME || undefined;
  const actionId = job
    ? await askForJob(service, job, header)
    : await service.send('checkpoint_pod', (api) =>
        api.POST('/v1/checkpoint/pod', {
          params: { header },
          body: { pod_id: uid, leave_running: false, ...(container === undefined ? {} : { containers: [container] }) },
          parseAs: 'text',
        }),
      );
  const log = pino({ level: 'silent' });
  const paths = job ? CHECKPOINT_PATHS.slurm : CHECKPOINT_PATHS.pods;
  const reports = new CheckpointReports({ service, store: await storeOf(settings), log, say: NOTHING }, paths);
  const name = `${folder.namespace}/${folder.name}`;
  const of = job ? OF_JOB : { container_name: await containerOf(service, actionId, container), name };
  const id = await reports.takeUp({ actionId }, of);
  if (id === undefined)
    throw new AgentFailure({ cause: 'service_unreachable', message: 'The service does not want this checkpoint.' });
  return {
    id,
    report: async ({ result, failure }) => {
      if (result) await reports.result({ actionId }, id, result, (performance.now() - began) * NS_PER_MS);
      else await reports.failure(id, failure ?? failureOf('The supervisor ended.'));
    },
  };
}

/** The one of this process. On a host, a pod has one. */
async function containerOf(service: ServiceClient, actionId: string, known: string | undefined): Promise<string> {
  if (known !== undefined) return known;
  if (!podOfThisProcess()) return CONTAINER;
  const { containers, pod_spec: spec } = await getAction(service, actionId);
  const [only, ...others] = containers ?? [];
  // If only one of several is covered, it may be another one: this one may have started a moment ago.
  const all = members(spec).containers;
  if (only !== undefined && others.length === 0 && Array.isArray(all) && all.length === 1) return only;
  throw new AgentFailure({
    cause: 'invalid_setting',
    message: 'The pod may have several containers, and the name of this one is not known.',
    remedy: 'Set CCP_CONTAINER_NAME in each container of the pod.',
  });
}

/** Clusters number their jobs from 1, so its name counts as well. */
async function askForJob(
  service: ServiceClient,
  { jobId }: JobEnvironment,
  header: { readonly 'Idempotency-Key': string },
): Promise<string> {
  const query = { job_ids: String(jobId) };
  const known = await service.send('list_slurm_jobs', (api) => api.GET('/v1/slurm/jobs', { params: { query } }));
  const [job, ...others] = known.filter(({ name }) => name === process.env.SLURM_JOB_NAME);
  if (!job || others.length > 0)
    throw new AgentFailure({
      cause: 'workload_missing',
      message: `The service knows ${job ? 'several jobs' : 'no job'} ${jobId} of this name.`,
    });
  const body = { cluster_id: job.cluster_id, job_id: String(jobId), leave_running: false };
  return service.send('checkpoint_slurm_job', (api) =>
    api.POST('/v1/slurm/checkpoint/job', { params: { header }, body, parseAs: 'text' }),
  );
}
