import { oneIfAny, UUID } from '../api/rows';
import type { Schemas, Service } from '../api/service';
import { EXIT, missing } from '../failures';
import { hasFallenBack, workloadOf } from '../kinds/attempts';
import { kindNamed } from '../kinds/kinds';
import { bytes, duration } from '../output/figures';
import type { Printer } from '../output/printer';
import type { Run } from './context';
import { until } from './waiting';

interface Options {
  readonly follow?: boolean;
}

type Attempt = Schemas['OperationFactDetailView'];

/** One operation, or all those of an action. */
interface Subject {
  readonly operationId?: string;
  /** Undefined: nobody requested it. */
  readonly actionId?: string | undefined;
}

const STAGE_COLUMNS = 28;
const FIGURE_COLUMNS = 10;

export const logs: Run<Options> = async ({ printer, service: connect, exit }, { follow }, [text = '']) => {
  const service = connect();
  const subject = await subjectOf(service, text);
  const log = new AttemptLog(printer);
  if (!follow) {
    const attempts = await attemptsOf(service, subject);
    if (attempts.length === 0)
      throw missing('No node has reported an attempt yet.', `"ccp logs ${text} --follow" waits.`);
    if (printer.isJson) return printer.document(attempts);
    for (const attempt of attempts) log.show(attempt);
    return;
  }
  const isGood = await until(printer, () => look(service, subject, log));
  if (!isGood) exit(EXIT.failed);
};

/** Shows what is new. @returns whether it went well, once it is over */
async function look(service: Service, subject: Subject, log: AttemptLog): Promise<boolean | undefined> {
  // Read first: what its end reported is then part of the attempts.
  const action = subject.actionId === undefined ? undefined : await statusOf(service, subject.actionId);
  const attempts = await attemptsOf(service, subject);
  for (const attempt of attempts) log.show(attempt);
  const isRunning = attempts.some(({ result }) => result === 'running');
  if (subject.operationId !== undefined && !isRunning) return attempts.at(-1)?.result === 'succeeded';
  if (action?.status === 'processing' && action.details !== null) log.progress(action.details);
  if (action?.status === 'error') {
    log.end(action.details ?? 'no reason was reported');
    return false;
  }
  // The end of an operation is what its node reports; that of a deleted action nobody reports.
  if (action?.status === 'not_found' && subject.operationId === undefined)
    throw missing(`The action ${subject.actionId} no longer exists: how it ended is not known.`);
  return action?.status === 'ready' ? !hasFallenBack(attempts) : undefined;
}

async function subjectOf(service: Service, text: string): Promise<Subject> {
  const path = { id: text };
  if (UUID.test(text)) {
    const fact = await service.find('get_operation', (api) => api.GET('/v1/operations/{id}', { params: { path } }));
    if (fact) return subjectOfAttempt(fact);
    if (await service.find('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path } })))
      return { actionId: text };
  }
  const operation = await oneIfAny(service, kindNamed('operation'), text);
  if (operation !== undefined) return subjectOfAttempt(operation as Attempt);
  const action = await oneIfAny(service, kindNamed('action'), text);
  if (action !== undefined) return { actionId: kindNamed('action').id(action) };
  throw missing(
    `There is neither an operation nor an action ${text}.`,
    '"ccp get operations" shows what nodes reported, "ccp get actions" what was requested.',
  );
}

const subjectOfAttempt = ({
  operation_id: operationId,
  action_id: actionId,
}: Schemas['OperationFactView']): Subject => ({
  operationId,
  actionId: actionId || undefined,
});

/** Oldest first. */
async function attemptsOf(service: Service, subject: Subject): Promise<Attempt[]> {
  if (subject.operationId !== undefined) return [await attemptOf(service, subject.operationId)];
  const query = { action_id: subject.actionId ?? '' };
  const facts = await service.send('list_operations', (api) => api.GET('/v1/operations', { params: { query } }));
  return Promise.all(facts.reverse().map(({ operation_id: id }) => attemptOf(service, id)));
}

const attemptOf = (service: Service, id: string): Promise<Attempt> =>
  service.send('get_operation', (api) => api.GET('/v1/operations/{id}', { params: { path: { id } } }));

const statusOf = (service: Service, actionId: string): Promise<Schemas['CheckpointOperationView']> =>
  service.send('get_checkpoint_status', (api) =>
    api.GET('/v1/checkpoint/status/{action_id}', { params: { path: { action_id: actionId } } }),
  );

/** Prints attempts, their stages, what nodes say on the way, and results: each once, when it is known. */
class AttemptLog {
  private readonly begun = new Set<string>();
  private readonly stages = new Map<string, Set<number>>();
  private readonly ended = new Map<string, string>();
  private lastProgress = '';

  constructor(private readonly printer: Printer) {}

  show(attempt: Attempt): void {
    const { operation_id: id, op_type: type, node_name: node, result } = attempt;
    if (!this.begun.has(id)) {
      this.begun.add(id);
      const where = node === '' ? '' : ` on ${node}`;
      this.print(`${type} ${id} of ${workloadOf(attempt)}${where}`, { operation_id: id, began: attempt.started_at_ms });
    }
    const known = this.stages.get(id) ?? new Set();
    this.stages.set(id, known);
    for (const stage of attempt.stages)
      if (!known.has(stage.seq)) {
        known.add(stage.seq);
        this.print(lineOf(stage), { operation_id: id, stage });
      }
    if (result === 'running' || this.ended.get(id) === result) return;
    this.ended.set(id, result);
    const { failure_reason: why, failure_stage: where } = attempt;
    const failed = why === '' ? '' : `: ${why}${where === '' ? '' : ` (in ${where})`}`;
    const figures = ` in ${duration(attempt.duration_ns)}, ${bytes(attempt.physical_bytes)}`;
    const { stages: _stages, restores: _restores, ...fact } = attempt;
    this.print(`${result}${failed}${figures}`, { operation_id: id, ended: fact });
  }

  /** What a node says while it works: on standard error, because it is passing. */
  progress(details: string): void {
    if (details === this.lastProgress) return;
    this.lastProgress = details;
    if (this.printer.isJson) this.printer.document({ progress: details }, false);
    else this.printer.say(details);
  }

  end(reason: string): void {
    this.printer.say(`The action failed: ${reason}`);
  }

  private print(line: string, document: unknown): void {
    if (this.printer.isJson) this.printer.document(document, false);
    else this.printer.line(line);
  }
}

function lineOf({
  stage,
  duration_ns: ns,
  bytes_in: read,
  bytes_out: written,
  result,
  reason,
}: Attempt['stages'][number]): string {
  const moved = [read > 0 ? `${bytes(read)} in` : '', written > 0 ? `${bytes(written)} out` : ''].filter(Boolean);
  const failed = reason === '' ? '' : `  ${result}: ${reason}`;
  return `  ${stage.padEnd(STAGE_COLUMNS)}${duration(ns).padStart(FIGURE_COLUMNS)}  ${moved.join(', ')}${failed}`.trimEnd();
}
