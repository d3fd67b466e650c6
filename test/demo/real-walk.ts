import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltAgent } from '../support/built-agent';

/** The name of the process, and of its pod. */
export const NAME = 'count';
const COPY = `${NAME}-2`;
/** A shell is everywhere. */
const COUNTER = 'n=0; while :; do n=$((n + 1)); echo $n; sleep 0.1; done';

const LOOK_EVERY_MS = 20;
/** A machine that is this slow is out of order. */
const LONGEST_MS = 120_000;

/** Of the service, by their ids. */
export interface Done {
  readonly checkpointAction: string;
  /** When the service says that the process began to count. */
  readonly startedAt: string;
}

interface Pod {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly start_time: string | null;
}

interface Action {
  readonly status: string;
  readonly error: string | null;
}

/** Takes the counter through checkpoint, kill, resume and clone, as an operator does it: by the API. */
export class Walk {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly agent: BuiltAgent,
    private readonly report: (what: string, line: string) => void,
  ) {}

  async go(): Promise<Done> {
    await this.agent.run(NAME, ['sh', '-c', COUNTER]);
    await this.until(() => this.count(NAME) >= 10);
    this.report('count', `a process counts, ten numbers a second: ${this.shown(NAME)}`);

    const pod = await this.podOf(NAME);
    const checkpoint = await this.request('/v1/checkpoint/pod', { pod_id: pod.id }, 'checkpoint');
    const frozenAt = this.count(NAME);

    await this.until(() => this.count(NAME) >= frozenAt + 10);
    const killedAt = this.count(NAME);
    await this.agent.kill(NAME);
    this.report('kill', `kill -9 at ${killedAt}: the process and its memory are gone`);

    const wish = { action_id: checkpoint, reason: 'nodeTermination' };
    await this.request('/v1/restore/pod', wish, 'resume');
    await this.until(() => this.numbers(NAME).length >= 5);
    this.report('', `it goes on where the checkpoint was taken, not at 1: ${this.shown(NAME, 'first')}`);

    await this.request('/v1/restore/pod', wish, 'clone');
    const before = [this.count(NAME), this.count(COPY)];
    await this.until(() => [NAME, COPY].every((name, index) => this.count(name) >= before[index]! + 5));
    this.report(
      '',
      `two copies of one process count on: ${NAME} is at ${this.count(NAME)}, ${COPY} at ${this.count(COPY)}`,
    );
    return { checkpointAction: checkpoint, startedAt: pod.start_time ?? '' };
  }

  async get<T>(path: string): Promise<T> {
    return (await this.send('GET', path)).json() as Promise<T>;
  }

  /** Requests an action and waits for its end. @returns its id */
  private async request(path: string, body: object, what: string): Promise<string> {
    const began = performance.now();
    const id = await (await this.send('POST', path, body)).text();
    let action: Action | undefined;
    await this.until(async () => {
      action = await this.get<Action>(`/v1/actions/${id}`);
      return action.status === 'ready' || action.status === 'error';
    });
    if (action?.status === 'error') throw new Error(`${path} failed: ${action.error}`);
    const took = `${Math.round(performance.now() - began)} ms`;
    this.report(what, `POST ${path}: ${took} from the request until it was done`);
    return id;
  }

  private async podOf(name: string): Promise<Pod> {
    let found: Pod | undefined;
    await this.until(async () => {
      const pods = await this.get<Pod[]>('/v1/pods');
      found = pods.find((pod) => pod.name === name && pod.status === 'Running');
      return found !== undefined;
    });
    return found!;
  }

  private numbers(name: string): number[] {
    try {
      return readFileSync(this.agent.folder(name).log, 'utf8').split('\n').slice(0, -1).map(Number);
    } catch {
      // Its log is not there yet.
      return [];
    }
  }

  private count(name: string): number {
    return this.numbers(name).at(-1) ?? 0;
  }

  private shown(name: string, which: 'first' | 'last' = 'last'): string {
    const numbers = this.numbers(name);
    const some = which === 'first' ? numbers.slice(0, 5) : numbers.slice(-5);
    return `${which === 'last' ? '… ' : ''}${some.join(' ')}${which === 'first' ? ' …' : ''}`;
  }

  private async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = performance.now() + LONGEST_MS; !(await isSo()); await sleep(LOOK_EVERY_MS))
      if (performance.now() > end) throw new Error(`Nothing happened within ${LONGEST_MS / 1_000} s.`);
  }

  private async send(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}
