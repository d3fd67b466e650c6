import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerRecord } from '../../../src/agent/controllers/workers/profile/worker-record';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import type { Organisation } from '../../support/service';
import { expectGone, processesWith, runs, type AgentProcess } from '../support/agent';
import { Machine } from '../support/machine';
import { WaitingCriu } from '../support/waiting-criu';
import { Watchpoint } from '../support/watchpoint';
import { ServedProfile, Stand } from './served-profile';

const REPORT = /^POST \/v1\/inference\/activations\/report/;
const EVENT = /^POST \/v1\/inference\/lifecycle-events/;
const LOOKUP = /^POST \/v1\/inference\/artifacts\/lookup/;
const REGISTER = /^POST \/v1\/inference\/artifacts$/;

/** A process may have ended meanwhile. */
function isPython(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]!.endsWith('python3');
  } catch {
    return false;
  }
}

describeWith(['CRIU'], 'A controller of workers that is killed', () => {
  let stand: Stand;
  let org: Organisation;
  let watchpoint: Watchpoint;
  let machine: Machine;
  let criu: WaitingCriu;
  let url: string;
  let host: AgentProcess;
  let kills = 0;

  beforeAll(async () => {
    stand = await Stand.open();
    const { agent, service } = stand;
    ({ org } = stand);
    watchpoint = new Watchpoint(service.url);
    url = await watchpoint.listen();
    criu = new WaitingCriu(agent.root);
    machine = new Machine(agent, service, org, 'laptop', agent.store, criu.environment);
    host = start();
  });
  afterAll(async () => {
    await stand.agent.killAll();
    await watchpoint.close();
    await stand.close();
  });

  const start = () => machine.host(url, ['--workers']);
  const kill = () => void (host.child.kill('SIGKILL') && kills++);
  const again = async () => {
    await eventually(() => expect(runs(host.pid)).toBe(false));
    await host.ended;
    host = start();
  };
  /** Of its workers. */
  const records = () =>
    readdirSync(machine.state, { recursive: true, encoding: 'utf8' })
      .filter((file) => /workers\/[0-9a-f-]{36}\.json$/.test(file))
      .map((file) => join(machine.state, file))
      .map((file) => ({ file, record: JSON.parse(readFileSync(file, 'utf8')) as WorkerRecord }));
  /** Processes of the profile's engine itself, without what stands around them. */
  const engines = (profile: ServedProfile) => processesWith(profile.id).filter(isPython);

  it('finds its workers again, and starts nothing twice, at any of eight points', async () => {
    const profile = await new ServedProfile(org).create();
    /** Kills it while the profile gets to a state, and starts it again. */
    const killed = async (wanted: 'Active' | 'Suspended', arm: () => Promise<void> | void) => {
      const armed = arm();
      await profile.want(wanted);
      await armed;
      await again();
      await (wanted === 'Active' ? profile.ready() : profile.suspended());
    };
    const at = (report: RegExp, moment: 'before' | 'after') => () => watchpoint.at(report, moment, kill);
    await killed('Active', at(REPORT, 'after'));
    await profile.chat('One?');
    await killed('Suspended', () => criu.during('dump', kill));
    await killed('Active', at(LOOKUP, 'after'));
    await profile.chat('Two?');
    const [artifact] = await profile.artifacts();
    expect((await org.operator.delete(`/v1/inference/artifacts/${artifact!.artifact_id}`)).status).toBe(200);
    await killed('Suspended', at(REGISTER, 'before'));
    await killed('Active', () => criu.during('restore', kill));
    await profile.chat('Three?');
    await killed('Suspended', at(REPORT, 'after'));
    await killed('Active', at(EVENT, 'before'));
    await profile.chat('Four?');
    await killed('Suspended', at(EVENT, 'after'));
    expect(kills).toBe(8);

    // Counted in the service, in the store, and on the machine.
    const artifacts = await profile.artifacts();
    expect(artifacts.map(({ status }) => status).sort()).toEqual(['deleted', 'ready']);
    await eventually(() => expect(readdirSync(join(stand.agent.store, 'checkpoints'))).toHaveLength(1));
    expect(engines(profile)).toEqual([]);
    const started = ['worker.scheduled', 'model.ready', 'worker.stopped'];
    const restored = ['worker.restoring', 'restore.started', 'restore.completed'];
    await profile.happened(
      ...[1, 2, 3, 4].flatMap(() => started),
      ...['worker.loading', ...[1, 2, 3].flatMap(() => restored)],
      ...[1, 2].flatMap(() => ['checkpoint.started', 'checkpoint.completed']),
    );
  });

  it('reports the end of a worker that it could not report, and no failure', async () => {
    const profile = await new ServedProfile(org).create({}, { hosting_mode: 'dedicated' });
    await profile.want('Active');
    await profile.ready();
    const begun = ['worker.scheduled', 'worker.loading', 'model.ready'];
    await profile.happened(...begun);
    // Late enough for whatever does not wait for the answer, and before the report is repeated.
    watchpoint.at(EVENT, 'before', () => void setTimeout(kill, 200));
    await profile.want('Suspended');
    await again();
    await profile.suspended();
    await profile.happened(...begun, 'worker.stopped');
  });

  it('ends what it was about to end, also if it is wanted again, and starts another one', async () => {
    const started = ['worker.scheduled', 'worker.loading', 'model.ready', 'worker.stopped'];
    const profile = await new ServedProfile(org).create({}, { hosting_mode: 'dedicated' });
    await profile.want('Active');
    await profile.ready();
    const [pid] = engines(profile);
    await eventually(() => expect(records()).toMatchObject([{ record: { wasReady: true } }]));
    kill();
    await eventually(() => expect(runs(host.pid)).toBe(false));
    for (const { file, record } of records()) writeFileSync(file, JSON.stringify({ ...record, isDismissed: true }));
    await again();
    await expectGone(pid!);
    await eventually(() => expect(engines(profile)).toHaveLength(1), 30_000);
    await profile.happened(...started, 'worker.scheduled', 'worker.loading', 'model.ready');
    await profile.want('Suspended');
    await profile.suspended();
    await profile.happened(...started, ...started);
  });

  it('corrects what happened while it was away: workers that died, or that nobody wants any more', async () => {
    const [served, dropped] = [await new ServedProfile(org).create(), await new ServedProfile(org).create()];
    for (const profile of [served, dropped]) await profile.want('Active');
    const [died] = await served.ready();
    await dropped.ready();
    kill();
    await host.ended;
    for (const pid of engines(served)) process.kill(pid, 'SIGKILL');
    await eventually(() => expect(engines(served)).toEqual([]));
    await dropped.want('Suspended');
    // It lives on without its controller.
    expect(engines(dropped)).toHaveLength(1);
    host = start();
    await dropped.suspended();
    expect(engines(dropped)).toEqual([]);
    const [replaced] = await served.ready();
    expect(replaced!.workload_uid).not.toBe(died!.workload_uid);
    expect(engines(served)).toHaveLength(1);
    await served.chat();
  });
});
