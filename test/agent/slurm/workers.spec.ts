import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { temporaryDirectory } from '../../support/plugins';
import { Service, type Organisation } from '../../support/service';
import { Slurm } from '../../support/slurm';
import { AgentUnderTest, processesWith, type AgentProcess } from '../support/agent';
import { Watchpoint } from '../support/watchpoint';
import { ServedProfile, WITHIN_MS } from '../workers/served-profile';

const EVENT = /^POST \/v1\/inference\/lifecycle-events/;
const REGISTER = /^POST \/v1\/inference\/artifacts$/;

interface Shown {
  readonly job: number;
  readonly state: string;
  readonly node: string;
  readonly name: string;
}

/** Real jobs on two nodes, which share this machine, and real checkpoints. */
describeWith(['Slurm', 'CRIU'], 'Workers of profiles as jobs of Slurm', () => {
  let slurm: Slurm;
  let service: Service;
  let org: Organisation;
  let agent: AgentUnderTest;
  let watchpoint: Watchpoint;
  let url: string;
  let state: string;
  let token: string;
  let controller: AgentProcess;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    slurm = await Slurm.start({ nodes: 2 });
    const storage = { objectStorageDir: temporaryDirectory(), objectUrlSeconds: 600 };
    service = await Service.start({ workerEndpointAllow: ['127.0.0.0/8'], ...storage }, { sweeping: true });
    service.clock.now = () => new Date();
    org = await service.organisation();
    watchpoint = new Watchpoint(service.url);
    url = await watchpoint.listen();
    state = mkdtempSync(join(agent.root, 'state-'));
    token = join(agent.root, 'token');
    writeFileSync(token, org.controller.token!, { mode: 0o600 });
    controller = start();
  });
  afterAll(async () => {
    await controller?.kill();
    await slurm?.stop();
    await agent?.killAll();
    await watchpoint?.close();
    await service?.close();
    agent?.remove();
  });

  const start = () =>
    agent.start(['slurm', '--workers', '--cluster', 'hpc', '--interval', '1', '--log-level', 'warn'], {
      CCP_STATE_DIR: state,
      CCP_URL: url,
      CCP_TOKEN_FILE: token,
      SLURM_CONF: slurm.environment().SLURM_CONF,
    });
  const again = async () => {
    await controller.kill();
    controller = start();
  };
  /** The jobs of a profile's workers. */
  const jobsOf = async (profile: ServedProfile, states = 'all'): Promise<Shown[]> => {
    const lines = await slurm.run('squeue', '--noheader', `--states=${states}`, '--format=%A %T %N %j');
    const jobs = lines.split('\n').map((line) => {
      const [job, state = '', node = '', name = ''] = line.trim().split(' ');
      return { job: Number(job), state, node, name };
    });
    return jobs.filter(({ name }) => name.startsWith(profile.id.slice(0, 30))).sort((a, b) => a.job - b.job);
  };
  const live = (profile: ServedProfile) => jobsOf(profile, 'RUNNING,PENDING');
  const engines = (profile: ServedProfile) => processesWith(profile.id).filter((pid) => pid !== process.pid);
  const asleep = async (profile: ServedProfile) => {
    await profile.want('Suspended');
    await profile.suspended();
  };

  it('start on the nodes that Slurm chooses, answer, sleep with a checkpoint, and wake from it', async () => {
    const profile = await new ServedProfile(org).create({ resources: { cpus: 5, memory_mib: 100 } });
    await profile.want('Active', 2);
    const workers = await profile.ready(2);
    const jobs = await live(profile);
    // Each node has eight processors.
    expect(jobs.map(({ node }) => node).sort()).toEqual(['n1', 'n2']);
    // Each has an address of its own.
    expect(workers.map(({ endpoint }) => new URL(endpoint).hostname).sort()).toEqual(['127.0.0.1', '127.0.0.2']);
    await Promise.all(workers.map((worker, place) => profile.ask(worker, `You are number ${place}.`)));
    await profile.chat();

    await asleep(profile);
    expect(await live(profile)).toEqual([]);
    const [artifact, ...others] = await profile.artifacts();
    expect(others).toEqual([]);
    expect(artifact).toMatchObject({ status: 'ready', storage_tier: 'shared' });
    expect((await profile.chat('And now?')).headers['x-start-kind']).toBe('restored');
    expect(await profile.ready()).toMatchObject([{ start_kind: 'restore', artifact_id: artifact!.artifact_id }]);
    // They are workers, and no jobs that a policy may move.
    expect((await org.viewer.get('/v1/slurm/jobs')).body).toEqual([]);
    await asleep(profile);

    const images = join(artifact!.uri, 'images');
    const pages = readdirSync(images).find((name) => name.startsWith('pages-'))!;
    writeFileSync(join(images, pages), 'nothing of it is left');
    await profile.chat('Can you still answer?');
    const [cold] = await profile.ready();
    expect(cold).toMatchObject({ start_kind: 'cold', artifact_id: null });
    // The supervisor on the node has said why.
    expect(cold!.message).toMatch(`The restore of the artifact ${artifact!.artifact_id} failed: `);
    expect(cold!.message).toContain(pages);
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('are found again by a controller that was killed, and never submitted twice', async () => {
    const profile = await new ServedProfile(org).create({ store: 'service' });
    const kill = () => void controller.child.kill('SIGKILL');
    const killed = async (wanted: 'Active' | 'Suspended', report: RegExp, moment: 'before' | 'after') => {
      watchpoint.at(report, moment, kill);
      await profile.want(wanted);
      await controller.ended;
      await again();
      await (wanted === 'Active' ? profile.ready() : profile.suspended());
    };
    await killed('Active', EVENT, 'before');
    await profile.chat('One?');
    await killed('Suspended', REGISTER, 'before');
    await killed('Active', EVENT, 'after');
    await profile.chat('Two?');
    expect(await profile.artifacts()).toMatchObject([{ status: 'ready', storage_tier: 'object' }]);
    expect(await jobsOf(profile)).toHaveLength(2);

    // As if a controller had been killed while sbatch ran: a second job of the same worker.
    const [first] = await live(profile);
    const comment = (await slurm.run('squeue', '--noheader', `--jobs=${first!.job}`, '--format=%k')).trim();
    const options = [`--comment=${comment}`, '--dependency=singleton'];
    const second = await slurm.submit(first!.name, 'sleep 300', ...options);
    expect((await live(profile)).map(({ job, state }) => `${job} ${state}`)).toEqual([
      `${first!.job} RUNNING`,
      `${second} PENDING`,
    ]);
    await again();
    await eventually(async () => expect(await live(profile)).toEqual([first]), WITHIN_MS);
    await profile.chat('Three?');
    await asleep(profile);
  });

  it('are replaced when their job ends, and end when nobody wants them', async () => {
    const profile = await new ServedProfile(org).create();
    await profile.want('Active');
    const [old] = await profile.ready();
    const [{ job } = { job: 0 }] = await live(profile);
    // A Slurm that does not answer has not lost its jobs.
    await slurm.stopController();
    const failures = () => controller.err.split('the inventory was not reported').length;
    const before = failures();
    await eventually(() => expect(failures()).toBeGreaterThan(before), WITHIN_MS);
    await profile.chat('Are you still there?');
    slurm.startController();
    await eventually(async () => expect(await jobsOf(profile)).toMatchObject([{ job, state: 'RUNNING' }]), WITHIN_MS);
    await slurm.run('scancel', String(job));
    await profile.when(({ message }) =>
      expect(message).toMatch(
        new RegExp(`ended: Slurm ended the job ${job} on n\\d: CANCELLED\\. It is replaced in 1 s`),
      ),
    );
    const [replaced] = await profile.ready();
    expect(replaced!.workload_uid).not.toBe(old!.workload_uid);
    await profile.chat();

    // A state directory that was lost: Slurm knows the worker, and nobody else does.
    await controller.kill();
    const records = readdirSync(join(state, 'slurm'), { recursive: true, encoding: 'utf8' });
    const own = records.filter((path) => path.endsWith(`${replaced!.workload_uid}.json`));
    expect(own.length).toBeGreaterThan(0);
    for (const path of own) rmSync(join(state, 'slurm', path));
    const stranger = await live(profile);
    controller = start();
    await eventually(async () => {
      const now = await live(profile);
      expect(now).toHaveLength(1);
      expect(now[0]!.job).not.toBe(stranger[0]!.job);
    }, WITHIN_MS);
    await profile.ready();
    await asleep(profile);
    expect(engines(profile)).toEqual([]);
  });

  it('says in words which workers are jobs that Slurm lets wait, or refuses', async () => {
    const large = await new ServedProfile(org).create({ resources: { cpus: 8 } }, { max_replicas: 3 });
    const refused = await new ServedProfile(org).create({ resources: { memory_mib: 1_000_000 } });
    const broken = await new ServedProfile(org).create({ command: ['sh', '-c', 'exit 3'] });
    await refused.want('Active');
    await broken.want('Active');
    await refused.when(({ message }) =>
      expect(message).toMatch(/did not start: Slurm refused sbatch .*: .*node configuration is not available/s),
    );
    await broken.when(({ message }) => expect(message).toMatch(/did not start: It ended with the exit code 3\. It is/));
    // Not before: it takes both nodes, and the job of the one that fails would wait for one.
    await large.want('Active', 3);
    await large.when(({ message, workers = [] }) => {
      expect(workers.filter(({ ready }) => ready)).toHaveLength(2);
      expect(message).toMatch(/^The job \d+ of the worker engine-.* waits in Slurm's queue: no node has room/);
    });
    // It takes the place of one that ends.
    const [first] = await live(large);
    await slurm.run('scancel', String(first!.job));
    await large.when(({ message }) => expect(message).toMatch(/CANCELLED.* waits in Slurm's queue/));
    for (const profile of [large, refused, broken]) await asleep(profile);
  });

  it('starts workers in the network of their node at a port that the agent chooses, and does not checkpoint them', async () => {
    const profile = await new ServedProfile(org).create({}, { hosting_mode: 'dedicated' });
    await profile.want('Active', 2);
    await profile.ready(2);
    await profile.chat();
    await asleep(profile);
    expect(await profile.artifacts()).toEqual([]);
  });
});
