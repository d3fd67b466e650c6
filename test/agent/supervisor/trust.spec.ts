import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { NEEDED } from '../../../src/agent/supervisor/capabilities';
import { FileLock } from '../../../src/agent/supervisor/state/file-lock';
import { DumpSlots } from '../../../src/agent/supervisor/state/dump-slots';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest } from '../support/agent';

const NOBODY = 65534;
const LOOP = ['sh', '-c', 'echo up; while :; do sleep 0.05; done'];

describeWith(['CRIU'], 'The agent', () => {
  let agent: AgentUnderTest;
  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(() => agent.killAll());
  afterAll(() => agent.remove());

  const running = async (name: string, options: readonly string[] = []) => {
    const supervisor = agent.run(name, LOOP, options);
    await supervisor.printed('up');
    return supervisor;
  };

  it.each([
    ['run', ['run', '--name', 'exposed', '--', 'true']],
    ['checkpoint', ['checkpoint', 'exposed']],
    ['check', ['check']],
    ['host', ['host', '--cluster', 'exposed']],
    ['list', ['list']],
    ['remove', ['remove', '/x']],
  ])('refuses by %s a state directory that somebody else prepared, and writes nothing', async (_what, args) => {
    const open = mkdtempSync(join(agent.root, 'open-'));
    chmodSync(open, 0o1777);
    const victim = join(agent.root, 'victim');
    writeFileSync(victim, 'kept');
    const folder = join(open, 'state/workloads/default/exposed');
    mkdirSync(folder, { recursive: true });
    for (const name of ['status.json.next', 'log']) symlinkSync(victim, join(folder, name));
    for (const path of ['state', 'state/workloads', 'state/workloads/default', 'state/workloads/default/exposed'])
      chownSync(join(open, path), NOBODY, NOBODY);

    const refused = await agent.call('--state-dir', join(open, 'state'), '--store', join(open, 'store'), ...args);
    expect(refused.code).toBe(3);
    expect(refused.err + refused.out).toContain(`${join(open, 'state')} belongs to the user ${NOBODY}`);
    expect(readFileSync(victim, 'utf8')).toBe('kept');
    expect(existsSync(join(open, 'state/store.key'))).toBe(false);
  });

  it('refuses directories that others may write to, and links that others made', async () => {
    const wide = join(agent.root, 'wide');
    mkdirSync(join(wide, 'state'), { recursive: true });
    chmodSync(wide, 0o777);
    const refusal = async (state: string) => (await agent.call('run', '--state-dir', state, '--', 'true')).err;
    expect(await refusal(join(wide, 'state'))).toContain(`others may write to ${wide}`);
    chmodSync(wide, 0o1777);
    expect(await refusal(join(wide, 'state'))).toBe('');
    mkdirSync(join(agent.root, 'good'));
    symlinkSync(join(agent.root, 'good'), join(wide, 'link'));
    expect(await refusal(join(wide, 'link/state'))).toBe('');
    lchownSync(join(wide, 'link'), NOBODY, NOBODY);
    expect(await refusal(join(wide, 'link/state'))).toContain(`the link ${join(wide, 'link')} belongs to the user`);
  });

  it('closes an empty directory of its user, as a new volume is, and no other one', async () => {
    const volume = join(agent.root, 'volume');
    mkdirSync(volume);
    chmodSync(volume, 0o777);
    const refusal = async () => (await agent.call('run', '--state-dir', volume, '--', 'true')).err;
    writeFileSync(join(volume, 'planted'), '');
    expect(await refusal()).toContain(`others may write to ${volume}`);
    rmSync(join(volume, 'planted'));
    expect(await refusal()).toBe('');
    expect(statSync(volume).mode & 0o777).toBe(0o700);
  });

  it('takes a key from a Secret of Kubernetes, and not from where others may replace it', async () => {
    // As the kubelet mounts it: anybody may add files, and nobody may replace those of others.
    const volume = join(agent.root, 'secret');
    const data = join(volume, '..2026_01_01');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'store.key'), 'k'.repeat(64), { mode: 0o400 });
    symlinkSync('..2026_01_01', join(volume, '..data'));
    symlinkSync('..data/store.key', join(volume, 'store.key'));
    const key = join(volume, 'store.key');
    const check = async () => (await agent.call('check', '--store-key-file', key)).out;
    chmodSync(volume, 0o1777);
    expect(await check()).toContain(`store key: ${key}, of all machines that have it`);
    chmodSync(volume, 0o777);
    expect(await check()).toContain(`others may write to ${volume}`);
  });

  it('makes a key of its own, and refuses the checkpoints of agents with another one', async () => {
    await running('keyed');
    const { reference } = await agent.checkpoint('keyed');
    const key = join(agent.state, 'store.key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect((await agent.call('check')).out).toContain(`store key: ${key}, of this machine only`);

    const elsewhere = ['--state-dir', join(agent.root, 'elsewhere')];
    const refused = await agent.run('copy', [], ['--restore', reference, ...elsewhere]).ended;
    expect(refused.code).toBe(3);
    expect(refused.err).toMatch(/is not signed with the key of this agent, .*\n.*give both the same --store-key-file/);
    const copy = agent.run('copy', [], ['--restore', reference, ...elsewhere, '--store-key-file', key]);
    await eventually(async () => expect(await agent.status('copy', ...elsewhere)).toMatchObject({ phase: 'running' }));
    await copy.kill();

    chmodSync(key, 0o644);
    const readable = await agent.call('check');
    expect(readable.out).toContain(`others may read ${key}`);
    chmodSync(key, 0o600);
  });

  it('lists the checkpoints of its store, and removes one', async () => {
    await running('listed');
    const [one, two] = [await agent.checkpoint('listed'), await agent.checkpoint('listed')];
    const listed = async (...options: string[]) => {
      const { out } = await agent.call('list', 'listed', '--json', ...options);
      return (JSON.parse(out) as { checkpoints: { reference: string }[] }).checkpoints.map((each) => each.reference);
    };
    expect(await listed()).toEqual([one.reference, two.reference]);
    expect(await listed('--namespace', 'other')).toEqual([]);
    expect((await agent.call('remove', one.reference)).code).toBe(0);
    expect(existsSync(one.reference)).toBe(false);
    expect((await agent.call('remove', one.reference)).code).toBe(4);
    expect((await agent.call('list')).out).toMatch(/^default +listed .*checkpoints/m);
    expect(await listed()).toEqual([two.reference]);
  });

  it('can dump and restore with exactly the capabilities that it asks for', async () => {
    const names = Object.keys(NEEDED).map((name) => `+${name.slice('CAP_'.length).toLowerCase()}`);
    const before = ['setpriv', '--bounding-set', ['-all', ...names].join(',')];
    const first = agent.start(['run', '--name', 'caps', '--', ...LOOP], {}, before);
    await first.printed('up');
    const { reference } = await agent.checkpoint('caps');
    await first.kill();
    const second = agent.start(['run', '--name', 'caps', '--restore', reference], {}, before);
    await eventually(async () => {
      expect(second.err).toBe('');
      expect(await agent.status('caps')).toMatchObject({ phase: 'running', restored: { reference } });
    });
  });

  it('keeps the token and the key from hooks', async () => {
    const seen = join(agent.root, 'seen');
    const env = { CCP_TOKEN: 'token-of-this-test', CCP_STORE_KEY_FILE: join(agent.state, 'store.key'), CCP_HOOK: 'x' };
    await agent.call('check');
    const args = ['run', '--name', 'hooked', '--quiesce', `env > ${seen}`, '--', ...LOOP];
    rmSync(join(agent.state, 'store.key'), { force: true });
    mkdirSync(agent.state, { recursive: true, mode: 0o700 });
    writeFileSync(env.CCP_STORE_KEY_FILE, 'k'.repeat(64), { mode: 0o600 });
    const supervisor = agent.start(args, env);
    await supervisor.printed('up');
    await agent.checkpoint('hooked');
    expect(readFileSync(seen, 'utf8')).toContain('CCP_HOOK=x');
    expect(readFileSync(seen, 'utf8')).not.toMatch(/CCP_TOKEN|token-of-this-test|CCP_STORE_KEY_FILE/);
  });

  it('ends with its workload although a client never ends its request', async () => {
    const supervisor = await running('halfopen');
    const client = connect(join(agent.folder('halfopen'), 'control.sock'));
    await once(client, 'connect');
    client.on('error', () => {});
    client.write('POST /checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await agent.status('halfopen');
    process.kill((await agent.status('halfopen')).pid!, 'SIGKILL');
    expect((await supervisor.ended).code).toBe(137);
    client.destroy();
  });

  it('starts a workload whose record a power failure emptied', async () => {
    expect((await agent.run('emptied', ['true']).ended).code).toBe(0);
    writeFileSync(join(agent.folder('emptied'), 'status.json'), '');
    expect((await agent.call('status')).code).toBe(0);
    expect((await agent.call('status', 'emptied')).code).toBe(4);
    expect((await agent.run('emptied', ['true']).ended).code).toBe(0);
    expect(await agent.status('emptied')).toMatchObject({ phase: 'ended', exitCode: 0 });
  });

  it.each([0, 1, 2])('dumps as soon as any dump of the machine ends: the one with the number %i', async (which) => {
    const state = join(agent.root, `slots-${which}`);
    const slots = new DumpSlots(state, 3);
    const path = (slot: number) => join(state, 'dump-slots', hostname(), `${slot}.lock`);
    const held = await Promise.all([0, 1, 2].map((slot) => FileLock.take(path(slot))));
    const taken = slots.take(20);
    held[which]!.release();
    (await taken).release();
    for (const lock of held) lock!.release();
  });
});
