import { randomUUID } from 'node:crypto';
import { AgentFailure } from '../failures';
import { ControlClient } from '../supervisor/control/control-client';
import { MAX_STAY_SECONDS } from '../supervisor/control/control-protocol';
import { statusOf } from '../supervisor/state/workloads';
import type { Context } from './context';
import { folderFor, missingWorkload, namespaceOf, ownWorkload } from './names';
import { answer, say } from './output/output';
import { makePrivateDirectories } from './private-directories';

interface Options {
  readonly namespace?: string;
  readonly letGo?: boolean;
  readonly stay: string;
  readonly progress?: boolean;
  readonly id?: string;
}

const NS_PER_MS = 1e6;

export async function checkpoint(context: Context, options: Options, [given]: readonly string[]): Promise<void> {
  const { settings, output } = context;
  const name = given ?? ownWorkload()?.name;
  if (name === undefined) throw usage('The workload needs a name.');
  makePrivateDirectories(settings);
  const folder = folderFor(settings, namespaceOf(options.namespace), name);
  if (!(await statusOf(folder))) throw missingWorkload(folder);
  const staySeconds = Number(options.stay);
  if (!(staySeconds >= 0 && staySeconds <= MAX_STAY_SECONDS))
    throw usage(`"${options.stay}" is not a time in seconds, of at most ${MAX_STAY_SECONDS}.`);
  const request = { id: options.id ?? randomUUID(), leaveRunning: options.letGo !== true, staySeconds };
  let stage: string | undefined;
  const result = await new ControlClient(folder.path).checkpoint(request, (progress) => {
    if (output.json && options.progress) output.out.write(`${JSON.stringify({ progress })}\n`);
    if (!output.json && progress.stage !== stage) say(output, `${progress.stage} …`);
    stage = progress.stage;
  });
  answer(output, { id: request.id, ...result }, () => [
    result.reference,
    ...result.stages.map(({ name, durationNs }) => `  ${name}: ${(durationNs / NS_PER_MS).toFixed(1)} ms`),
  ]);
}

const usage = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
