import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { Service, type Organisation } from '../../support/service';
import { AgentUnderTest, processesWith, type AgentProcess } from '../support/agent';
import { Machine, Requests } from '../support/machine';
import { WaitingCriu } from '../support/waiting-criu';
import { Watchpoint, type Moment } from '../support/watchpoint';

/** Requests of a host agent. */
const REPORTS = {
  'the acknowledgement': /^POST \/v1\/inference\/outbox\/ack/,
  'the take-up of the checkpoint': /^POST \/v1\/checkpoints$/,
  'the facts of the checkpoint': /^PUT \/v1\/checkpoints\/info\//,
  'the upload report': /^POST \/v1\/checkpoints\/uploaded\//,
  'the start of the restore': /^POST \/v1\/restores\/events\/restore_start/,
  'the success of the restore': /^POST \/v1\/restores\/events\/restore_success/,
} as const;

describeWith(['CRIU'], 'A host agent that is killed', () => {
  let service: Service;
  let agent: AgentUnderTest;
  let org: Organisation;
  let watchpoint: Watchpoint;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    service = await Service.start();
    service.clock.now = () => new Date();
    org = await service.organisation();
    watchpoint = new Watchpoint(service.url);
  });
  afterAll(async () => {
    await agent.killAll();
    await watchpoint.close();
    await service.close();
    agent.remove();
  });

  it('loses nothing and does nothing twice, at any of twelve points', async () => {
    const url = await watchpoint.listen();
    const criu = new WaitingCriu(agent.root);
    const machine = new Machine(agent, service, org, 'laptop', agent.store, criu.environment);
    const requests = new Requests(org);
    let host: AgentProcess = machine.host(url);
    machine.count('count', { mebibytes: 64 });
    const uid = await machine.pod('count');
    let kills = 0;
    const kill = () => void (host.child.kill('SIGKILL') && kills++);
    const again = async () => {
      await host.ended;
      host = machine.host(url);
    };

    const taken: string[] = [];
    const take = async (arm: () => Promise<void> | void) => {
      const armed = arm();
      const action = await requests.checkpoint(uid);
      await armed;
      await again();
      await requests.ready(action);
      taken.push(action);
    };
    const at = (report: keyof typeof REPORTS, moment: Moment) => () => watchpoint.at(REPORTS[report], moment, kill);
    const during = (action: 'dump' | 'restore') => () => criu.during(action, kill);
    await take(at('the acknowledgement', 'before'));
    await take(at('the acknowledgement', 'after'));
    await take(at('the take-up of the checkpoint', 'before'));
    await take(at('the take-up of the checkpoint', 'after'));
    await take(during('dump'));
    await take(at('the facts of the checkpoint', 'before'));
    await take(at('the facts of the checkpoint', 'after'));
    await take(at('the upload report', 'after'));

    const restored: string[] = [];
    const restore = async (arm: () => Promise<void> | void) => {
      const armed = arm();
      const action = await requests.restore(taken[0]!, { overrides: { pod_name: `copy-${restored.length}` } });
      await armed;
      await again();
      await requests.ready(action);
      restored.push(action);
    };
    await restore(at('the start of the restore', 'after'));
    await restore(during('restore'));
    await restore(at('the success of the restore', 'before'));
    await restore(at('the success of the restore', 'after'));
    expect(kills).toBe(12);

    // Counted in the service, in the store, and on the machine.
    const ids = await Promise.all(taken.map((action) => requests.checkpointId(action)));
    const rows = (await org.viewer.get('/v1/checkpoints')).body as { id: string; status: string }[];
    expect(rows.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(ids.map((id) => `${id} ready`).sort());
    expect(readdirSync(join(agent.store, 'checkpoints')).sort()).toEqual([...ids].sort());
    const status = await machine.status('count');
    expect(status!.checkpoints.map(({ id, state }) => `${id} ${state}`).sort()).toEqual(
      ids.map((id) => `${id} ready`).sort(),
    );
    const restores = (await org.viewer.get('/v1/restores')).body as { action_id: string; status: string }[];
    expect(restores.map((one) => `${one.action_id} ${one.status}`).sort()).toEqual(
      restored.map((action) => `${action} succeeded`).sort(),
    );
    const names = ['copy-0', 'copy-1', 'copy-2', 'copy-3', 'count'];
    // The next report shows what the last restore has started.
    await eventually(async () => {
      const pods = (await org.viewer.get('/v1/pods')).body as { name: string }[];
      expect(pods.map(({ name }) => name).sort()).toEqual(names);
    });
    // And the host agent.
    expect(processesWith(agent.main)).toHaveLength(names.length + 1);
    await machine.counts(...names);
    const { operations } = (await org.viewer.get('/v1/metrics/operations/summary?time=3600')).body;
    expect(
      (operations as { operation: string; attempts: number; succeeded: number }[]).map(
        (one) => `${one.operation} ${one.attempts} ${one.succeeded}`,
      ),
    ).toEqual(expect.arrayContaining(['checkpoint 8 8', 'restore 4 4']));
  });
});
