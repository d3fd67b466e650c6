import { newId } from '../../src/1-platform/common/ids';
import { eventually } from '../support/eventually';
import { Service, type Organisation } from '../support/service';
import { createProfile } from '../support/profiles';
import { buildCluster, buildPod, readyCheckpoint, syncAll, type RunningPod } from '../support/workloads';
import { KINDS } from '../../src/cli/kinds/kinds';
import { itWith } from '../support/components';
import { CliUnderTest } from './support/cli';
import { PageOf, StubService } from './support/stub-service';

/** A name that would clear the screen, set the title, and turn the line around. */
const HOSTILE = 'evil\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\nnext';

describe('ccp get and describe', () => {
  let service: Service;
  let org: Organisation;
  let cli: CliUnderTest;
  let clusterId: string;
  let trainer: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    cli = new CliUnderTest({ CCP_URL: service.url, CCP_TOKEN: org.admin.token });
    clusterId = await buildCluster(org, 'eu-1');
    trainer = await buildPod(org, clusterId, { name: 'trainer', namespace: 'training' });
    await buildPod(org, clusterId, { name: 'trainer', namespace: 'other' });
    await buildPod(org, clusterId, { name: 'done', namespace: 'training', phase: 'Succeeded' });
  });
  afterAll(async () => {
    await cli.remove();
    await service.close();
  });

  it.each(KINDS.map(({ plural }) => plural))('lists %s as a document', async (plural) => {
    expect(Array.isArray(await cli.json('get', plural))).toBe(true);
  });

  it('prints an aligned table without colours where nobody looks at a terminal', async () => {
    const { code, out, err } = await cli.call(['get', 'pods', '-n', 'training']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAMESPACE {2}NAME {5}READY {2}STATUS {5}RESTARTS {2}AGE +NODE$/);
    expect(lines).toHaveLength(3);
    const column = lines[0]!.indexOf('STATUS');
    expect(lines.slice(1).map((line) => line.slice(column).split(' ')[0])).toEqual(['Succeeded', 'Running']);
    expect(out).not.toContain('\u001b');
  });

  it('passes the filters of the API on, with names of clusters', async () => {
    const names = async (...args: readonly string[]): Promise<string> => (await cli.call(args)).out;
    expect(await names('get', 'pods', '--cluster', 'eu-1', '--status', 'Succeeded', '-o', 'name')).toBe(
      'pod/training/done\n',
    );
    expect((await cli.call(['get', 'pods', '--cluster', 'nowhere'])).code).toBe(4);
  });

  it('follows all pages up to the limit, and says that there is more', async () => {
    const many = await org.operator.post('/v1/cluster', { cluster_name: 'many' });
    const nodes = Array.from({ length: 1_100 }, (_, number) => ({
      type: 'Node',
      kind: 'Node',
      metadata: { uid: `n-${number}`, name: `n-${number}`, resourceVersion: '1' },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    await syncAll(org.controller, many.text, nodes);
    expect(await cli.json('get', 'nodes', '--cluster', 'many', '--limit', '2000')).toHaveLength(1_100);
    const { out, err } = await cli.call(['get', 'nodes', '--cluster', 'many', '--limit', '1050', '-o', 'name']);
    expect(out.trimEnd().split('\n')).toHaveLength(1_050);
    expect(err).toContain('These are the first 1050');
  });

  it('lists those that an ambiguous name could mean, and takes ids, prefixes and namespaces', async () => {
    const { code, err } = await cli.call(['describe', 'pod', 'trainer']);
    expect(code).toBe(2);
    expect(err).toContain('2 pods match trainer: ');
    expect(err).toContain(`training/trainer (${trainer.id})`);
    for (const [name, ...more] of [['training/trainer'], ['trainer', '-n', 'training'], [trainer.id], [trainer.uid]])
      expect(await cli.json('describe', 'pod', name!, ...more)).toMatchObject({ pod: { id: trainer.id } });
    const { actionId } = await readyCheckpoint(org, trainer.id);
    // Ids of one time begin alike, so a prefix must be long to be unique.
    expect(await cli.json('get', 'action', actionId.slice(0, -2))).toMatchObject({ action_id: actionId });
    expect(await cli.call(['describe', 'pod', 'nobody'])).toMatchObject({ code: 4, out: '' });
  });

  it('describes a checkpoint with its stages, and why it cannot be restored', async () => {
    const { checkpointId } = await readyCheckpoint(org, trainer.id, { name: 'first' });
    const { out } = await cli.call(['describe', 'checkpoint', checkpointId]);
    expect(out).toMatch(/^restorable: +yes$/m);
    expect(out).toMatch(/^workload: +training\/trainer$/m);
    await org.operator.patch(`/v1/checkpoints/deprecate/${checkpointId}`);
    expect((await cli.call(['describe', 'checkpoint', checkpointId])).out).toMatch(
      /^restorable: +no: it is deprecated/m,
    );
  });

  it('describes a profile with what is wanted of it and what runs', async () => {
    const { profile_id: id } = await createProfile(org, { profile_id: 'llama' });
    expect(await cli.json('describe', 'profile', id)).toMatchObject({
      profile: { profile_id: 'llama' },
      intent: null,
      artifacts: [],
    });
    expect((await cli.call(['describe', 'profile', id])).out).toMatch(/^model: +llama-8b$/m);
  });

  it('sends no control character of the service to the terminal', async () => {
    await createProfile(org, { profile_id: 'hostile', exact_model: HOSTILE });
    for (const args of [
      ['get', 'profiles', '-o', 'wide'],
      ['describe', 'profile', 'hostile'],
      ['get', 'profile', 'hostile', '-o', 'json'],
    ]) {
      const { code, out } = await cli.call(args);
      expect(code).toBe(0);
      expect(out).toContain('evil');
      expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    }
    const table = (await cli.call(['get', 'profiles', '-o', 'wide'])).out;
    expect(table.split('\n').filter((line) => line.includes('evil'))).toEqual([
      expect.stringContaining('evil\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e\\x0anext'),
    ]);
    expect(await cli.json('get', 'profile', 'hostile')).toMatchObject({ exact_model: HOSTILE });
  });

  it('watches until it is interrupted, and prints what changes', async () => {
    const watch = cli.start(['get', 'pods', '-n', 'watched', '--watch', '--interval', '1', '-o', 'json']);
    const changes = () =>
      watch.out
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { change: string; pod: { name: string; status: string } })
        .map(({ change, pod }) => [change, pod.name, pod.status]);
    const before = await buildPod(org, clusterId, { name: 'one', namespace: 'watched' });
    await eventually(() => expect(changes().map(([, name]) => name)).toEqual(['one']));
    const ended = { ...before.resource, status: { ...before.resource.status, phase: 'Failed' } };
    ended.metadata = { ...ended.metadata, resourceVersion: '2' };
    await syncAll(org.controller, clusterId, [ended]);
    await eventually(() => expect(changes().at(-1)).toEqual(['changed', 'one', 'Failed']));
    watch.child.kill('SIGINT');
    expect(await watch.ended).toMatchObject({ signal: 'SIGINT', err: '' });
  });

  it.each(['action', 'operation', 'checkpoint', 'restore', 'node', 'pod', 'artifact'])(
    'finds no %s of another id if an older service ignores the filter, and has one',
    async (kind) => {
      const id = newId();
      const row = { id, action_id: id, operation_id: id, restore_uuid: id, profile_id: id, artifact_id: id };
      const stub = await StubService.start((path) => (path === '/v1/pods/paginated' ? { pods: [row] } : [row]));
      const { code } = await cli.call(['describe', kind, newId()], { env: { CCP_URL: stub.url } });
      stub.close();
      expect(code).toBe(4);
    },
  );

  describe('with the answers of a large organisation', () => {
    let stub: StubService | undefined;
    afterEach(() => stub?.close());
    const callStub = async (answer: Parameters<typeof StubService.start>[0], ...args: readonly string[]) => {
      stub?.close();
      stub = await StubService.start(answer);
      return cli.call(args, { env: { CCP_URL: stub.url } });
    };
    const idOf = (number: number): string => `0199f3c2-0000-7000-8000-${String(number).padStart(12, '0')}`;
    /** A list that does not end, whatever it is asked for. */
    const endless = (row: (number: number) => object, query: URLSearchParams): PageOf => {
      const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))];
      const rows = Array.from({ length: limit }, (_, number) => row(offset + number));
      return new PageOf(rows, `offset=${offset + limit}`);
    };
    const tokenOf = (number: number): object => ({
      token_id: idOf(number),
      organisation_id: idOf(0),
      organisation_name: 'research',
      name: `t-${number}`,
      status: 'active',
      role: 'viewer',
      scope: 'organisation',
      created_at: '2026-01-15T08:00:00.000Z',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });

    it.each([
      [['profile', 'llam'], '/v1/inference/profiles', [{ profile_id: 'llama' }]],
      [['fleet', 'cafe'], '/v1/inference/fleets', [{ fleet_id: 'cafe-2', profile_ids: [] }]],
      [['consumer', 'beef'], '/v1/inference/outbox/consumers', [{ consumer_id: 'beef-2', lag_events: 0 }]],
      [['plugin', 'face'], '/v1/plugins', [{ name: 'face-2', version: '1', size: 1 }]],
      [['slurm-job', '1234'], '/v1/slurm/jobs', [{ job_id: 12_345, name: 'x', start_time: 1, submit_time: 1 }]],
    ])('takes no beginning for an id that is no UUID: %j', async ([kind, text], path, rows) => {
      const answer = (asked: string, query: URLSearchParams): unknown =>
        asked === path && !query.has('job_ids') ? rows : [];
      expect((await callStub(answer, 'get', kind!, text!)).code).toBe(4);
    });

    it('finds a Slurm job by its number, however many there are', async () => {
      const job = { job_id: 1_234, cluster_id: newId(), name: 'x', start_time: 1, submit_time: 1 };
      const { out } = await callStub(
        (_path, query) => (query.get('job_ids') === '1234' ? [job] : []),
        'get',
        'slurm-job',
        '1234',
        '-o',
        'json',
      );
      expect(JSON.parse(out)).toMatchObject({ job_id: 1_234 });
    });

    it('refuses the beginning of an id, and a name, where it does not see the whole list', async () => {
      const answer = (_path: string, query: URLSearchParams): unknown => endless(tokenOf, query);
      for (const text of [idOf(17).slice(0, -1), 't-17'])
        expect(await callStub(answer, 'get', 'token', text)).toMatchObject({
          code: 2,
          err: expect.stringContaining('There are more than 5000 tokens'),
        });
      expect((await callStub(answer, 'get', 'token', idOf(17))).code).toBe(0);
    });

    it.each([
      ['action', 'action_id'],
      ['operation', 'operation_id'],
    ])('finds an %s by its whole id, however many there are, and wherever it is', async (kind, member) => {
      const row = (number: number) => ({ [member]: idOf(number), type: 'x', op_type: 'x', result: 'x', namespace: '' });
      const answer = (_path: string, query: URLSearchParams): unknown => {
        const wanted = query.get(member);
        if (wanted === null) return endless(row, query);
        return wanted === idOf(9_000) ? [row(9_000)] : [];
      };
      const { out } = await callStub(answer, 'get', kind, idOf(9_000), '-o', 'json');
      expect(JSON.parse(out)).toMatchObject({ [member]: idOf(9_000) });
      expect(await callStub(answer, 'get', kind, idOf(9_001))).toMatchObject({
        code: 4,
        err: expect.stringContaining(`There is no ${kind} `),
      });
    });

    it('restores the newest ready checkpoint of a name, however many checkpoints there are', async () => {
      const named = { id: idOf(1), action_id: idOf(2), name: 'trainer-0', namespace: 'training', status: 'ready' };
      const row = (number: number) => ({ ...named, id: idOf(number), name: `other-${number}` });
      const answer = (path: string, query: URLSearchParams): unknown => {
        if (path === '/v1/checkpoints' && query.has('exact_name'))
          return query.get('exact_name') === named.name && query.get('status') === 'ready' ? [named] : [];
        if (path === '/v1/checkpoints' || path === '/v1/actions') return endless(row, query);
        if (path === `/v1/actions/${named.action_id}`) return { checkpoint_ids: [named.id] };
        if (path === '/v1/slurm/checkpoints') return [];
        return path === '/v1/restore/pod' ? idOf(3) : undefined;
      };
      expect(await callStub(answer, 'restore', 'training/trainer-0')).toMatchObject({ code: 0, out: `${idOf(3)}\n` });
      expect(await callStub(answer, 'restore', 'training/nobody')).toMatchObject({
        code: 4,
        err: expect.stringContaining('There is neither an action nor a checkpoint training/nobody.'),
      });
    });

    it('shows the CPUs of the pods with the most memory, however many samples there are', async () => {
      const pod = (number: number) => ({
        pod_uid: `uid-${number}`,
        pod_name: `pod-${number}`,
        namespace: 'training',
        node_name: 'node-1',
        cpu_usage_seconds: 100,
        memory_bytes: 1_000_000 - number,
      });
      const answer = (path: string): unknown =>
        path === '/v1/metrics/pods'
          ? Array.from({ length: 1_000 }, (_, number) => ({ ...pod(number), timestamp: new Date().toISOString() }))
          : Array.from({ length: 100 }, (_, number) => ({ ...pod(number), cpu_cores: number / 10 }));
      const { out } = await callStub(answer, 'top', 'pods', '--rows', '100', '-o', 'json');
      const { pods } = JSON.parse(out) as { pods: { name: string; cpus: number }[] };
      expect(pods.map(({ cpus }) => cpus)).toEqual(Array.from({ length: 100 }, (_, place) => (99 - place) / 10));
    });

    it.each([
      ['nodes', (number: number) => ({ name: `node-${number}`, details: [] }), 'Nodes by load'],
      ['gpus', (number: number) => ({ node_name: `node-${number}`, gpus: [] }), 'GPUs by use'],
    ])('says of how many %s a ranking is, where it does not see all of them', async (what, row, title) => {
      const answer = (_path: string, query: URLSearchParams): unknown => endless(row, query);
      expect((await callStub(answer, 'top', what)).out).toContain(`${title}, of the first 1000 nodes\n`);
      expect((await callStub(answer, 'top', what, '-o', 'json')).err).toContain('of the first 1000 nodes only');
      expect((await callStub(() => [row(1)], 'top', what)).out).toContain(`${title}\n`);
    });

    it('lists a row once that new ones moved to the next page', async () => {
      const answer = (_path: string, query: URLSearchParams): unknown =>
        query.has('offset') ? [tokenOf(2), tokenOf(3)] : new PageOf([tokenOf(1), tokenOf(2)], 'offset=2');
      const { out } = await callStub(answer, 'get', 'tokens', '-o', 'json');
      expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(['t-1', 't-2', 't-3']);
    });

    it('lists the jobs of two clusters that have the same number', async () => {
      const jobs = ['a', 'b'].map((cluster_id) => ({ ...{ job_id: 7, start_time: 1, submit_time: 1 }, cluster_id }));
      const { out } = await callStub(() => jobs, 'get', 'slurm-jobs', '-o', 'json');
      expect(JSON.parse(out)).toHaveLength(2);
    });

    it('reports nothing as gone that new rows moved behind the limit', async () => {
      let [newest, isWhole] = [2, false];
      stub = await StubService.start(() =>
        isWhole ? [tokenOf(newest)] : new PageOf([tokenOf(newest), tokenOf(newest - 1)], 'offset=2'),
      );
      const args = ['get', 'tokens', '--watch', '--interval', '1', '--limit', '2', '-o', 'json'];
      const watch = cli.start(args, { env: { CCP_URL: stub.url } });
      await watch.printed('t-1');
      expect(watch.err).toContain('These are the first 2');
      newest = 3;
      await watch.printed('t-3');
      expect(watch.out).not.toContain('gone');
      isWhole = true;
      await watch.printed('"gone"');
      watch.child.kill('SIGINT');
      const changes = (await watch.ended).out.trimEnd().split('\n');
      expect(JSON.parse(changes.at(-1)!)).toMatchObject({ change: 'gone', token: { name: 't-2' } });
    });
  });

  it('says which field the service refuses, and by which name its log has the request', async () => {
    const { code, err, out } = await cli.call(['get', 'restores', '--checkpoint', 'x', '-o', 'json']);
    expect(code).toBe(2);
    expect(err).toContain('checkpoint_id: must be a UUID');
    expect(JSON.parse(out)).toMatchObject({
      failure: { code: 'validation_failed', fields: [{ field: 'checkpoint_id' }], request_id: expect.any(String) },
    });
  });

  it.each([
    [['get', 'podz'], 'Did you mean'],
    [['get', 'pods', '--limit', '0'], '--limit: "0" is not a whole number'],
    [['get', 'operations', '--since', 'yesterday'], '--since: "yesterday"'],
    [['get', 'pods', '-o', 'yaml'], 'Allowed choices are'],
    [['top', 'disks'], 'There is no top of disks'],
    [['completion', 'fish'], 'only for bash and zsh'],
  ])('refuses %j as wrong usage', async (args, message) => {
    expect(await cli.call(args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('says that a role may not do it', async () => {
    const { code, err } = await cli.call(['get', 'tokens'], { env: { CCP_TOKEN: org.viewer.token } });
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('"ccp whoami" shows yours') as string });
  });

  it('shows what is used most, once where nobody looks at a terminal', async () => {
    expect(Object.keys(await cli.json('top'))).toEqual(['profiles', 'gpus', 'nodes', 'pods']);
    const { code, out } = await cli.call(['top']);
    expect(code).toBe(0);
    expect(out).toContain('No GPU was measured in the last hour.');
  });

  it.each([
    [['get', 'pol'], ['policies']],
    [
      ['get', 'pods', '--sort', 'sta'],
      ['status', 'start_time'],
    ],
    [['get', 'pods', '--clu'], ['--cluster']],
    [['-o', 'w'], ['wide']],
    [
      ['completion', ''],
      ['bash', 'zsh'],
    ],
    [['chec'], ['checkpoint']],
  ])('completes %j', async (words, expected) => {
    const { out } = await cli.call(['__complete', '--', ...words]);
    expect(out.trimEnd().split('\n').sort()).toEqual(expected.sort());
  });

  itWith(['bash'], 'completes in bash', async () => {
    const script = `ccp() { '${process.execPath}' '${cli.main}' "$@"; }
      source <(ccp completion bash); COMP_WORDS=(ccp get clust); COMP_CWORD=2; _ccp; echo "\${COMPREPLY[*]}"`;
    const { spawnSync } = await import('node:child_process');
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe('clusters\n');
  });

  it('answers its version and its help without a service', async () => {
    const env = { CCP_URL: 'http://127.0.0.1:9' };
    expect((await cli.call(['--version'], { env })).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await cli.call(['--help'], { env })).out).toContain('Exit codes:');
  });

  it('ends quietly when its reader has seen enough', async () => {
    const cut = cli.start(['get', 'nodes', '--limit', '1000', '-o', 'json']);
    cut.child.stdout!.once('data', () => cut.child.stdout!.destroy());
    expect((await cut.ended).err).not.toContain('EPIPE');
  });
});
