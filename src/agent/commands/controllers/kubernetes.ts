import { readFileSync } from 'node:fs';
import { runKubernetesController } from '../../controllers/kubernetes/kubernetes-controller';
import type { KubernetesWorkersOptions } from '../../controllers/kubernetes/workers/kubernetes-workers';
import { NO_TEMPLATE, templateIn, type WorkerTemplate } from '../../controllers/kubernetes/workers/worker-template';
import { AgentFailure } from '../../failures';
import type { Context } from '../context';
import { profilesOf, runController } from './controller';

interface Options {
  readonly cluster: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly drain: boolean;
  readonly via?: string;
  readonly dumpsAtOnce?: string;
  readonly workers?: boolean;
  readonly profiles?: string;
  readonly workerNamespace?: string;
  readonly agentImage?: string;
  readonly workerSecret?: string;
  readonly workerTemplate?: string;
  readonly logLevel: string;
}

/** Each one, and each of those behind their dumps, has a connection to the API server. */
const MAX_DUMPS = 256;

/** Until a signal ends it. */
export function kubernetes(context: Context, options: Options): Promise<void> {
  const { cluster, kubeconfig, context: of, namespace, drain, logLevel } = options;
  const workers = workersOf(options);
  const via = viaOf(options.via);
  const dumpsAtOnce = dumpsOf(options.dumpsAtOnce);
  return runController(context, 'kubernetes', logLevel, (shared) =>
    runKubernetesController({
      ...shared,
      ...{ clusterName: cluster, kubeconfig, context: of, namespaces: namespace, drain, workers, via, dumpsAtOnce },
    }),
  );
}

function viaOf(via: string | undefined): 'kubelet' | undefined {
  if (via === undefined || via === 'kubelet') return via;
  throw usage(`"${via}" is nobody who takes checkpoints for --via: only kubelet.`);
}

function dumpsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_DUMPS) return number;
  throw usage(`"${text}" is not how many dumps --dumps-at-once may allow: a whole number from 1 to ${MAX_DUMPS}.`);
}

const OF_WORKERS = {
  workerNamespace: '--worker-namespace',
  agentImage: '--agent-image',
  workerSecret: '--worker-secret',
  workerTemplate: '--worker-template',
} as const;

/** @returns undefined if it runs no workers */
function workersOf(options: Options): KubernetesWorkersOptions | undefined {
  const { workers, workerNamespace, agentImage, workerSecret, workerTemplate } = options;
  const profiles = profilesOf(workers, options.profiles);
  if (!workers) {
    const given = Object.entries(OF_WORKERS).find(([name]) => options[name as keyof Options] !== undefined);
    if (given) throw usage(`${given[1]} needs --workers.`);
    return undefined;
  }
  if (agentImage === undefined) throw usage('--workers needs --agent-image: the image that brings the agent and CRIU.');
  if (workerSecret === undefined) throw usage('--workers needs --worker-secret: the Secret with the key of the store.');
  const template = workerTemplate === undefined ? NO_TEMPLATE : templateOf(workerTemplate);
  return { namespace: workerNamespace, agentImage, secret: workerSecret, template, profiles };
}

function templateOf(file: string): WorkerTemplate {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`The template ${file} of workers cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  return templateIn(text, file);
}

const usage = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
