import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { Service, type Organisation } from '../../support/service';
import type { AgentUnderTest } from '../support/agent';
import { Machine } from '../support/machine';
import { ServedProfile, Stand, statusOfWorker } from './served-profile';

describeWith(['CRIU'], 'Agents that run workers of the same profiles', () => {
  let stand: Stand;
  let service: Service;
  let agent: AgentUnderTest;
  let org: Organisation;

  beforeAll(async () => {
    stand = await Stand.open();
    ({ service, agent } = stand);
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterEach(() => agent.killAll());
  afterAll(() => stand.close());

  const machine = (name: string) => new Machine(agent, service, org, name);
  const liveIn = async (one: Machine) => {
    const { statuses } = await one.list();
    return statuses.filter(({ phase }) => phase === 'running').map(({ name }) => name);
  };

  it('leave a profile to the one that runs it, and take it over when that one loses it', async () => {
    const profile = await new ServedProfile(org).create();
    const [one, other] = [machine('one'), machine('other')];
    const first = one.host(service.url, ['--workers']);
    await profile.want('Active');
    const [worker] = await profile.ready();
    other.host(service.url, ['--workers']);
    const second = await other.clusterId();
    const refused = () =>
      org.controller.post('/v1/inference/activations/report', {
        ...{ profile_id: profile.id, cluster_id: second, desired_state: 'Active', phase: 'Pending', ready: false },
      });
    expect((await refused()).body).toMatchObject({ code: 'profile_held' });
    expect(await liveIn(other)).toEqual([]);

    // The first one is silent for longer than the service waits, and then comes back.
    first.child.kill('SIGSTOP');
    await service.db.query(
      "update activations set updated_at = updated_at - interval '100 seconds' where profile_id = $1",
      [profile.id],
    );
    await profile.want('Active', 2);
    await eventually(async () => {
      const workers = await profile.ready(2);
      expect(workers.map(({ workload_uid: uid }) => uid)).not.toContain(worker!.workload_uid);
    }, 60_000);
    expect(await liveIn(other)).toHaveLength(2);
    expect(statusOfWorker(one, worker!).phase).toBe('running');
    first.child.kill('SIGCONT');
    await eventually(async () => expect(await liveIn(one)).toEqual([]), 60_000);
    await profile.chat('Who are you?');
  });

  it('run only the profiles that their command line names, and end workers that no profile of theirs wants', async () => {
    const [named, others] = [await new ServedProfile(org).create(), await new ServedProfile(org).create()];
    const one = machine('choosy');
    const command = ['python3', '-c', 'import time; time.sleep(600)'];
    one.run('stranger', command, ['--namespace', 'workers']);
    await eventually(async () => expect(await liveIn(one)).toEqual(['stranger']));
    for (const profile of [others, named]) await profile.want('Active');
    one.host(service.url, ['--workers', '--profiles', named.id]);
    await named.ready();
    await eventually(async () => expect(await liveIn(one)).toHaveLength(1));
    expect(await liveIn(one)).not.toContain('stranger');
    await named.chat();
  });

  it('say why if the service may not connect to workers, and end them all the same', async () => {
    const strict = await Service.start({ workerEndpointAllow: ['10.0.0.0/8'] });
    try {
      strict.clock.now = () => new Date();
      org = await strict.organisation();
      const profile = await new ServedProfile(org).create();
      const one = new Machine(agent, strict, org, 'unreachable');
      one.host(strict.url, ['--workers']);
      await profile.want('Active');
      await profile.when(({ phase, message, workers }) => {
        expect({ phase, workers }).toEqual({ phase: 'Failed', workers: [] });
        expect(message).toContain('workers[0].endpoint');
      });
      // The endpoint may be reported, and refused, before the supervisor has noted that the worker runs.
      await eventually(async () => expect(await liveIn(one)).toHaveLength(1));
      await profile.want('Suspended');
      await profile.suspended();
      expect(await liveIn(one)).toEqual([]);
    } finally {
      await agent.killAll();
      await strict.close();
    }
  });
});
