import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { AgentUnderTest, expectGone, processesWith, runs, type AgentProcess } from '../support/agent';

const SERVE = ['python3', join(__dirname, '../programs/serve.py')];
const MEBIBYTE = 1 << 20;

describeWith(['CRIU'], 'A supervised workload with a network of its own', () => {
  let agent: AgentUnderTest;
  let sockets: Socket[];
  beforeAll(() => (agent = new AgentUnderTest()));
  beforeEach(() => (sockets = []));
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await agent.killAll();
    rmSync(agent.store, { recursive: true, force: true });
    rmSync(join(agent.state, 'workloads'), { recursive: true, force: true });
  });
  afterAll(() => agent.remove());

  const serve = async (name: string, options: readonly string[] = ['--publish', '0']): Promise<AgentProcess> => {
    const supervisor = agent.run(name, SERVE, options);
    await supervisor.printed('listening');
    return supervisor;
  };
  const networkOf = async (name: string) => (await agent.status(name)).network!;
  /** Where the host reaches it. */
  const portOf = async (name: string): Promise<number> => {
    let port: number | undefined;
    await eventually(async () => {
      const { phase, network } = await agent.status(name);
      expect(phase).toBe('running');
      port = network!.published!.port;
    });
    return port!;
  };
  const open = async (port: number, command = ''): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    sockets.push(socket);
    await once(socket, 'connect');
    if (command !== '') socket.write(`${command}\n`);
    return socket;
  };
  const ask = async (port: number, command: string, data = Buffer.alloc(0)): Promise<Buffer> => {
    const socket = await open(port, command);
    socket.end(data);
    return buffer(socket);
  };
  const count = async (port: number): Promise<{ secret: string; counted: number }> => {
    const [secret = '', counted] = (await ask(port, 'count')).toString().trim().split(' ');
    return { secret, counted: Number(counted) };
  };
  const endOf = (socket: Socket): Promise<string> =>
    buffer(socket).then(
      (bytes) => `ended with ${bytes.length} bytes`,
      (error: NodeJS.ErrnoException) => error.code ?? String(error),
    );
  const forwarders = () => processesWith(join(agent.root, 'dist/agent/network/forwarder.js'));
  /** Network namespaces in which processes of this machine are. */
  const namespaces = (): Set<string> =>
    new Set(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readlinkSync(`/proc/${pid}/ns/net`);
          } catch {
            return '';
          }
        }),
    );

  describe('is reached at the address in its status', () => {
    it('is reached at a free port of the loopback, and its program receives its own port', async () => {
      await serve('free');
      const { mode, port, published } = await networkOf('free');
      expect({ mode, port, host: published!.host }).toEqual({ mode: 'isolated', port: 8000, host: '127.0.0.1' });
      expect(await count(published!.port)).toMatchObject({ counted: 1 });
      expect((await agent.call('status', 'free')).out).toContain(
        `isolated, port 8000 published at 127.0.0.1:${published!.port}`,
      );
    });

    it('is reached at the port that was wanted, and nothing else of the host is in its network', async () => {
      const [hostPort] = await freePorts(1);
      await serve('wanted', ['--network', 'isolated', '--publish', `${hostPort}:9000`]);
      expect(await networkOf('wanted')).toEqual({
        mode: 'isolated',
        port: 9000,
        published: { host: '127.0.0.1', port: hostPort },
      });
      expect(await count(hostPort!)).toMatchObject({ counted: 1 });
      const { out } = await agent.run('inside', ['cat', '/proc/net/dev'], ['--network', 'isolated']).ended;
      expect(out.match(/^ *\S+:/gm)).toEqual(['    lo:']);
      expect(await networkOf('inside')).toEqual({ mode: 'isolated', port: null, published: null });
    });

    it('listens at the address in its status; if that is in use, nothing starts', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        const refused = await agent.run('taken', ['echo', 'started'], ['--publish', `${port}:8000`]).ended;
        expect(refused).toMatchObject({ code: 1, out: '' });
        expect(refused.err).toContain(`The port ${port} of this machine is in use. (port_taken)`);
      } finally {
        other.close();
      }
    });

    it('is reached at another address of this machine if that was wanted, and of this machine only', async () => {
      await serve('elsewhere', ['--publish', '0', '--publish-address', '127.0.0.9']);
      const { published } = await networkOf('elsewhere');
      expect(published!.host).toBe('127.0.0.9');
      await expect(open(published!.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      const socket = connect({ host: '127.0.0.9', port: published!.port });
      sockets.push(socket);
      socket.end('count\n');
      expect((await buffer(socket)).toString()).toMatch(/ 1\n$/);

      // An address for examples: no machine has it.
      const options = ['--publish', '0', '--publish-address', '192.0.2.1'];
      const refused = await agent.run('nowhere', ['echo', 'started'], options).ended;
      expect(refused).toMatchObject({ code: 3, out: '' });
      expect(refused.err).toContain('This machine does not have the address 192.0.2.1');
    });

    it('a workload in the network of the host has no address in its status', async () => {
      const supervisor = agent.run('host', ['sh', '-c', 'echo "$PORT up"; exec sleep 1000']);
      await supervisor.printed(/up$/);
      expect(await networkOf('host')).toEqual({ mode: 'host', port: null, published: null });
      expect(supervisor.lines).toEqual([`${process.env.PORT ?? ''} up`]);
      expect(forwarders()).toEqual([]);
    });
  });

  describe('is reached by a forwarder that', () => {
    it('passes megabytes both ways at once, unchanged', async () => {
      await serve('both');
      const sent = randomBytes(32 * MEBIBYTE);
      expect((await ask(await portOf('both'), 'echo', sent)).equals(sent)).toBe(true);
    });

    it('passes the end of one direction, while the other one goes on', async () => {
      await serve('half');
      const sent = randomBytes(MEBIBYTE);
      const digest = createHash('sha256').update(sent).digest('hex');
      expect((await ask(await portOf('half'), 'digest', sent)).toString()).toBe(digest);
    });

    it('keeps little of a stream whose reader does not read', async () => {
      await serve('slow');
      const socket = await open(await portOf('slow'), `source ${512 * MEBIBYTE}`);
      await once(socket, 'readable');
      const [forwarder] = forwarders();
      const memory = () =>
        Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${forwarder}/status`, 'utf8'))![1]) / 1024;
      let before = -1;
      // Until all that is between them is full.
      await eventually(() => {
        const now = memory();
        const grew = now - before;
        before = now;
        expect(grew).toBe(0);
      });
      expect(memory()).toBeLessThan(80);
      let received = socket.readableLength;
      for await (const chunk of socket) received += (chunk as Buffer).length;
      expect(received).toBeGreaterThanOrEqual(512 * MEBIBYTE);
    });

    it('serves 200 connections at once, of which most are idle', async () => {
      await serve('many');
      const port = await portOf('many');
      const opened = await Promise.all(Array.from({ length: 200 }, () => open(port, 'echo')));
      for (const [index, socket] of opened.entries()) socket.write(String(index));
      const answers = await Promise.all(opened.map(async (socket) => String((await once(socket, 'data'))[0])));
      expect(answers).toEqual(opened.map((_, index) => String(index)));
    });

    it('passes a reset from either side', async () => {
      await serve('reset');
      const port = await portOf('reset');
      expect(await endOf(await open(port, 'reset'))).toBe('ECONNRESET');
      const socket = await open(port, 'echo');
      socket.write('x');
      await once(socket, 'data');
      socket.resetAndDestroy();
      // One more cannot hang, and the server goes on.
      expect(await count(port)).toMatchObject({ counted: 1 });
    });

    it('refuses at once while nobody listens', async () => {
      const supervisor = agent.run('deaf', ['sh', '-c', 'echo up; exec sleep 1000'], ['--publish', '0']);
      await supervisor.printed('up');
      const port = await portOf('deaf');
      // The reset may arrive before this process has seen the connection.
      const refusal = () => open(port).then(endOf, ({ code }: NodeJS.ErrnoException) => code);
      for (let attempt = 0; attempt < 3; attempt++) expect(await refusal()).toBe('ECONNRESET');
    });

    it('is started again at the same address if somebody kills it', async () => {
      const supervisor = await serve('again');
      const port = await portOf('again');
      const { secret } = await count(port);
      const [first] = forwarders();
      process.kill(first!, 'SIGTERM');
      expect(await count(port)).toMatchObject({ secret, counted: 2 });
      process.kill(first!, 'SIGKILL');
      await eventually(async () => expect(await count(port)).toMatchObject({ secret }));
      expect(forwarders()).not.toContain(first);
      expect(supervisor.err).toBe('');
    });
  });

  describe('is checkpointed and restored', () => {
    it('is restored as three copies at once, each on the same port in a network of its own, with its own memory', async () => {
      const original = await serve('original');
      const { secret } = await count(await portOf('original'));
      const idle = await open(await portOf('original'), 'echo');
      idle.write('x');
      await once(idle, 'data');
      const { out } = await agent.call('inspect', 'original', '--json');
      expect(JSON.parse(out)).toMatchObject({ possible: true });
      const taken = await agent.checkpoint('original');
      // It was not disturbed.
      idle.write('y');
      expect(String((await once(idle, 'data'))[0])).toBe('y');
      expect(agent.manifest(taken).workload.network).toEqual({ mode: 'isolated', port: 8000 });
      const { pid } = await agent.status('original');
      await original.kill();
      await expectGone(pid!);

      const [fixed] = await freePorts(1);
      const names = ['one', 'two', 'three'];
      agent.run('one', [], ['--restore', taken.reference]);
      agent.run('two', [], ['--restore', taken.reference, '--publish', String(fixed)]);
      agent.run('three', SERVE, ['--restore', taken.reference, '--network', 'isolated']);
      const ports = await Promise.all(names.map(portOf));
      expect(ports[1]).toBe(fixed);
      for (const round of [2, 3, 4])
        expect(await Promise.all(ports.map(count))).toEqual(names.map(() => ({ secret, counted: round })));
      // What one of them did, the others do not know.
      for (let more = 0; more < 3; more++) await count(ports[0]!);
      expect(await count(ports[0]!)).toEqual({ secret, counted: 8 });
      expect(await count(ports[2]!)).toEqual({ secret, counted: 5 });

      const again = await agent.checkpoint('one', '--let-go');
      agent.run('four', [], ['--restore', again.reference]);
      expect(await count(await portOf('four'))).toEqual({ secret, counted: 9 });
    });

    it('is checkpointed and restored with an end of the connections that it had', async () => {
      await serve('ends');
      const port = await portOf('ends');
      const socket = await open(port, 'echo');
      const ended = endOf(socket);
      const taken = await agent.checkpoint('ends', '--let-go');
      expect(await ended).toMatch(/^(ended with 0 bytes|ECONNRESET)$/);
      agent.run('ends-2', [], ['--restore', taken.reference]);
      expect(await count(await portOf('ends-2'))).toMatchObject({ counted: 1 });
    });

    it('is checkpointed and restored on SIGTERM within the grace period, and by itself afterwards', async () => {
      const options = ['--publish', '0', '--checkpoint-on-term', '--grace', '60'];
      const first = await serve('term', options);
      const { secret } = await count(await portOf('term'));
      first.child.kill('SIGTERM');
      expect((await first.ended).code).toBe(143);
      agent.run('term', SERVE, [...options, '--restore', 'auto']);
      expect(await count(await portOf('term'))).toEqual({ secret, counted: 2 });
    });

    it('is not restored in the network of the host, nor a workload of the host in its own', async () => {
      await serve('isolated');
      const isolated = await agent.checkpoint('isolated');
      const plain = agent.run('plain', ['sh', '-c', 'echo up; exec sleep 1000']);
      await plain.printed('up');
      const host = await agent.checkpoint('plain');
      expect(agent.manifest(host).workload).not.toHaveProperty('network');
      for (const [reference, options, message] of [
        [isolated.reference, ['--network', 'host'], 'cannot use the network of the host'],
        [host.reference, ['--network', 'isolated'], 'cannot get a network of its own'],
        [host.reference, ['--publish', '0:8000'], 'cannot get a network of its own'],
      ] as const) {
        const refused = await agent.run('mismatch', [], ['--restore', reference, ...options]).ended;
        expect(refused).toMatchObject({ code: 3, out: '' });
        expect(refused.err).toContain(message);
        expect(readdirSync(agent.folder('mismatch'))).not.toContain('criu');
      }
    });
  });

  it('leaves nothing when its supervisor is killed, be it started or restored', async () => {
    const first = await serve('killed');
    await count(await portOf('killed'));
    const taken = await agent.checkpoint('killed');
    const second = agent.run('killed-2', [], ['--restore', taken.reference]);
    const ports = [await portOf('killed'), await portOf('killed-2')];
    const idle = await open(ports[0]!, 'echo');
    const ended = endOf(idle);
    const left = forwarders();
    expect(left).toHaveLength(2);
    const own = left.map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
    expect(new Set(own).size).toBe(2);
    await Promise.all([first.kill(), second.kill()]);
    for (const forwarder of left) await expectGone(forwarder);
    await eventually(() => expect(own.filter((namespace) => namespaces().has(namespace))).toEqual([]));
    expect(await ended).toMatch(/^(ended with 0 bytes|ECONNRESET)$/);
    for (const port of ports) await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const kept = ['control.sock', 'criu', 'lock', 'log', 'status.json', 'store.json'];
    expect(readdirSync(agent.folder('killed')).sort()).toEqual(kept);
    expect(await agent.status('killed')).toMatchObject({ phase: 'gone', network: { published: null } });
  });

  it('ends with its own exit code, and its forwarder with it', async () => {
    const supervisor = agent.run('code', ['sh', '-c', 'echo up; sleep 0.2; exit 7'], ['--publish', '0']);
    await supervisor.printed('up');
    const [forwarder] = forwarders();
    expect((await supervisor.ended).code).toBe(7);
    expect(runs(forwarder!)).toBe(false);
    expect(await networkOf('code')).toEqual({ mode: 'isolated', port: 8000, published: null });
  });
});
