import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadStatus } from '../../../src/agent/supervisor/control/control-protocol';
import { WorkloadFolder } from '../../../src/agent/supervisor/state/workload-folder';
import { statusOf, workloadFolders } from '../../../src/agent/supervisor/state/workloads';
import { eventually } from '../../support/eventually';
import type { Answer, Organisation, Service } from '../../support/service';
import type { AgentProcess, AgentUnderTest } from './agent';

/** Prints a number and keeps some memory; few bytes, and little of the processor. */
const COUNTER = `
import os, sys, time
kept = os.urandom(int(sys.argv[1]) << 20)
count = 0
while True:
    count += 1
    print(count, flush=True)
    time.sleep(0.05)
`;

/** A machine: a state directory, and a host agent that reports it as a cluster of one node. */
export class Machine {
  readonly state: string;
  /** All machines of a test trust the checkpoints of each other. */
  private readonly key: string;

  constructor(
    private readonly agent: AgentUnderTest,
    private readonly service: Pick<Service, 'url'>,
    private readonly org: Organisation,
    readonly name: string,
    private readonly store = agent.store,
    private readonly environment: NodeJS.ProcessEnv = {},
  ) {
    this.state = join(agent.root, org.id, name);
    this.key = join(agent.root, 'shared.key');
    writeFileSync(this.key, 'k'.repeat(64), { mode: 0o600 });
  }

  /** @param url of the service, or of what stands before it */
  host(url = this.service.url, options: readonly string[] = []): AgentProcess {
    return this.start(['host', '--cluster', this.name, '--node', this.name, '--log-level', 'warn', ...options], url);
  }

  count(name: string, { mebibytes = 0, options = [] as readonly string[] } = {}): AgentProcess {
    return this.run(name, ['python3', '-c', COUNTER, String(mebibytes)], options);
  }

  run(name: string, command: readonly string[], options: readonly string[] = []): AgentProcess {
    return this.start(['run', '--name', name, ...options, '--', ...command]);
  }

  /** All its workloads. */
  async list(): Promise<{ statuses: WorkloadStatus[] }> {
    const statuses = await Promise.all(workloadFolders(this.state).map((folder) => statusOf(folder)));
    return { statuses: statuses.filter((one) => one !== undefined) };
  }

  folder(name: string): WorkloadFolder {
    return new WorkloadFolder(this.state, 'default', name);
  }

  status(name: string): Promise<WorkloadStatus | undefined> {
    return statusOf(this.folder(name));
  }

  counted(name: string): number[] {
    try {
      return readFileSync(this.folder(name).log, 'utf8').split('\n').slice(0, -1).map(Number);
    } catch {
      return [];
    }
  }

  /** It goes on, wherever it is. */
  async counts(...names: readonly string[]): Promise<void> {
    const before = names.map((name) => this.counted(name).at(-1) ?? 0);
    await eventually(() => {
      for (const [index, name] of names.entries()) expect(this.counted(name).at(-1)).toBeGreaterThan(before[index]!);
    });
  }

  /** The uid of a workload, once it runs and the service shows that: others cannot be checkpointed. */
  async pod(name: string): Promise<string> {
    await eventually(async () => expect(await this.status(name)).toMatchObject({ phase: 'running' }), 60_000);
    const { uid } = (await this.status(name))!;
    await eventually(async () => {
      const [pod] = (await this.org.viewer.get(`/v1/pods?id=${uid}`)).body as { status: string }[];
      expect(pod?.status).toBe('Running');
    });
    return uid;
  }

  async clusterId(): Promise<string> {
    let id: string | undefined;
    await eventually(async () => {
      const clusters = (await this.org.viewer.get('/v1/cluster')).body as { id: string; name: string }[];
      id = clusters.find((one) => one.name === this.name)?.id;
      expect(id).toBeDefined();
    });
    return id!;
  }

  private start(args: readonly string[], url = this.service.url): AgentProcess {
    return this.agent.start(args, {
      ...this.environment,
      CCP_URL: url,
      CCP_TOKEN: this.org.controller.token,
      CCP_STATE_DIR: this.state,
      CCP_STORE: this.store,
      CCP_STORE_KEY_FILE: this.key,
    });
  }
}

/** What people and policies ask of the service, and what it answers. */
export class Requests {
  constructor(private readonly org: Organisation) {}

  checkpoint(pod_id: string, members: object = {}): Promise<string> {
    return this.ask('/v1/checkpoint/pod', { pod_id, ...members });
  }

  restore(action_id: string, members: object = {}): Promise<string> {
    return this.ask('/v1/restore/pod', { action_id, reason: 'manual', ...members });
  }

  /** Repeats what a busy service answers with 503, as clients do. @returns the id of the action */
  private async ask(path: string, body: object): Promise<string> {
    const key = { 'idempotency-key': randomUUID() };
    let answer: Answer | undefined;
    await eventually(async () => {
      answer = await this.org.operator.post(path, body, key);
      expect(answer.status).not.toBe(503);
    });
    const { status, text } = answer!;
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    return text;
  }

  ready(action: string): Promise<void> {
    return eventually(async () => {
      const { status, error } = await this.action(action);
      expect({ status, error }).toEqual({ status: 'ready', error: null });
    }, 60_000);
  }

  /** @returns why it failed */
  async failed(action: string): Promise<string> {
    await eventually(async () => expect(await this.action(action)).toMatchObject({ status: 'error' }), 60_000);
    return (await this.org.viewer.get(`/v1/checkpoint/status/${action}`)).body.details as string;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as Answer.body
  async action(id: string): Promise<any> {
    return (await this.org.viewer.get(`/v1/actions/${id}`)).body;
  }

  async checkpointId(action: string): Promise<string> {
    return ((await this.action(action)).checkpoint_ids as string[])[0]!;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as Answer.body
  async restoreOf(action: string): Promise<any> {
    const { body } = await this.org.viewer.get(`/v1/restores?action_id=${action}`);
    expect(body).toHaveLength(1);
    return body[0];
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as Answer.body
  async fact(id: string): Promise<any> {
    return (await this.org.viewer.get(`/v1/operations/${id}`)).body;
  }
}
