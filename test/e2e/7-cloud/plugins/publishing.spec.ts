import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gate } from '../../../support/marketplace';
import { Service } from '../../../support/service';
import { describeStages, downloadPath, follow, sha256, temporaryDirectory, type Stage } from '../../../support/plugins';

const PROJECT = join(__dirname, '../../../..');

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** As a person runs it, without npm's own output. */
const BY_NPM = ['npm', 'run', '-s', 'plugins:publish', '--'] as const;
/** What that runs, in a third of the time. */
const BY_NODE = [process.execPath, '--import', 'tsx', 'src/7-cloud/plugins/publish.ts'] as const;

const publish = (
  args: string[],
  variables: Record<string, string> = {},
  [program, ...first]: typeof BY_NPM | typeof BY_NODE = BY_NODE,
): Promise<Ran> =>
  new Promise((resolve) => {
    const { CP: _cp, TOKEN: _token, ...inherited } = process.env;
    const options = { cwd: PROJECT, env: { ...inherited, ...variables } };
    execFile(program, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

const build = ['--name', 'criu/criu', '--version', '4.1.0', '--repository', 'example/plugins'];

describeStages('publishing a plugin', (kind) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'criu');
  const bytes = randomBytes(3_000_000);
  let stage: Stage;

  beforeAll(async () => {
    stage = await kind.start({ objectUrlSeconds: 60 });
    writeFileSync(file, bytes);
  });
  afterAll(() => stage.close());

  it('uploads the file, waits until it is served, and reports what it did', async () => {
    const { url, admin } = stage.service;
    const more = ['--arch', 'arm64', '--build', 'alpha', '--plugin', 'criu', '--install-dir', '/opt/criu'];
    const ran = await publish([file, ...build, ...more], { CP: url, TOKEN: admin.token ?? '' }, BY_NPM);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(`3000000 bytes, SHA-256 ${sha256(bytes)}`);
    expect(ran.stdout).toContain('published criu/criu 4.1.0 (arm64, alpha); downloaded again, and it is the same');
    const query = { arch: 'arm64', build: 'alpha' };
    expect(await follow(await admin.get(downloadPath('criu/criu', query)))).toEqual(bytes);
    expect((await admin.get(`/v1/plugins?${new URLSearchParams(query).toString()}`)).body).toMatchObject([
      {
        name: 'criu',
        version: '4.1.0',
        size: 3_000_000,
        binaries: [{ name: 'criu/criu', install_dir: '/opt/criu', checksum: sha256(bytes) }],
      },
    ]);
  });
});

describe('publishing a plugin that is refused before anything is stored', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'criu');
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ objectStorageDir: directory });
    writeFileSync(file, 'criu');
  });
  afterAll(() => service.close());

  it('fails with one sentence, and with an exit code', async () => {
    const { url, admin } = service;
    const token = ['--url', url, '--token', admin.token ?? ''];
    const wrong: [string[], number, string][] = [
      [[], 2, 'name a file'],
      [[file], 2, '--name is needed'],
      [[file, file, ...build], 2, '--name is needed'],
      [[file, ...build, '--name', 'criu/other'], 2, '--name is given more often than files are'],
      [[file, file, ...build, '--name', 'criu/criu'], 2, '--name must be another one for each file'],
      [[file, file, ...build, '--name', 'criu/other'], 2, '--plugin is needed for several files'],
      [[file, '--name', 'criu'], 2, '--version is needed'],
      [[file, ...build, '--colour', 'red'], 2, '--colour'],
      [[join(directory, 'absent'), ...build, ...token], 2, 'is no file'],
      [[file, ...build, '--url', url], 1, '401'],
      [[file, ...build, '--url', 'http://127.0.0.1:1'], 1, 'cannot be reached'],
      [[file, ...build, ...token, '--arch', 'a b'], 1, '400 arch must have'],
    ];
    for (const [args, code, message] of wrong) {
      const ran = await publish(args);
      expect([args, ran.code, ran.stdout.includes('published')]).toEqual([args, code, false]);
      expect(ran.stderr).toContain(message);
    }
  });
});

describe('publishing a plugin of several files', () => {
  const directory = temporaryDirectory();
  const NAMES = ['criu/criu', 'criu/libcriu.so'] as const;
  let service: Service;

  beforeAll(async () => (service = await Service.start({ objectStorageDir: temporaryDirectory() })));
  afterAll(() => service.close());

  /** Its files in a version, and the arguments that publish them. */
  function buildOf(version: string): { files: Buffer[]; args: string[] } {
    const files = NAMES.map(() => randomBytes(1_000));
    const paths = NAMES.map((name, place) => {
      const path = join(directory, `${version}-${name.replace('/', '-')}`);
      writeFileSync(path, files[place] ?? '');
      return path;
    });
    const names = NAMES.flatMap((name) => ['--name', name]);
    return { files, args: [...paths, ...names, '--plugin', 'criu', '--version', version] };
  }

  /** What installers get without a version: the listed files of which version, and their bytes. */
  async function installed() {
    const { body } = await service.admin.get('/v1/plugins?names=criu');
    const listed = (body as { version: string; latest_version: string; binaries: object[]; libraries: object[] }[]).map(
      (one) => [one.version, one.latest_version, one.binaries.length + one.libraries.length],
    );
    const downloads = [];
    for (const name of NAMES) {
      const answer = await service.admin.get(downloadPath(name));
      downloads.push(answer.status === 302 ? await follow(answer) : answer.status);
    }
    return { listed, downloads };
  }

  /**
   * Passes everything on to the service, but holds the uploads from one on.
   * @param uploaded what happens during each upload that is not held
   */
  async function holding(from: number, uploaded = (): void => undefined) {
    const [arrived, released] = [gate(), gate()];
    let uploads = 0;
    const server = createServer((req, res) => {
      const passOn = (): void => {
        const { hostname: host, port } = new URL(service.url);
        const { method, url, headers } = req;
        const onward = request({ host, port, method, path: url, headers }, (answer) => {
          if (method === 'PUT') uploaded();
          res.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(res);
        });
        onward.on('error', () => res.destroy());
        req.pipe(onward);
      };
      if (req.method !== 'PUT' || ++uploads < from) return passOn();
      arrived.open();
      void released.opened.then(passOn);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      arrived: arrived.opened,
      release: released.open,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  const variables = (url: string) => ({ CP: url, TOKEN: service.admin.token ?? '' });

  it('shows the earlier version until the last file has arrived, also if the publisher is killed', async () => {
    const [first, second, third] = [buildOf('1.0.0'), buildOf('2.0.0'), buildOf('3.0.0')];
    expect(await publish(first.args, variables(service.url))).toMatchObject({ code: 0, stderr: '' });
    const earlier = { listed: [['1.0.0', '1.0.0', 2]], downloads: first.files };
    expect(await installed()).toEqual(earlier);

    // The file that arrives last, of its version, and as the latest.
    for (const from of [2, 3, 4]) {
      const held = await holding(from);
      try {
        const running = publish(second.args, variables(held.url));
        await held.arrived;
        // Downloads without a version go over to it one file after the other, when all of it is listed.
        const changed = { listed: [['2.0.0', '2.0.0', 2]], downloads: [second.files[0], first.files[1]] };
        expect(await installed()).toEqual(from < 4 ? earlier : changed);
        held.release();
        expect(await running).toMatchObject({ code: 0, stderr: '' });
        expect(await installed()).toEqual({ listed: [['2.0.0', '2.0.0', 2]], downloads: second.files });
      } finally {
        held.close();
      }
      await service.db.query("delete from plugin_objects where version = '2.0.0'");
    }

    const held = await holding(2);
    try {
      const [program, ...args] = BY_NODE;
      const options = { cwd: PROJECT, env: { ...process.env, ...variables(held.url) }, stdio: 'ignore' } as const;
      const child = spawn(program, [...args, ...third.args], options);
      const ended = once(child, 'exit');
      await held.arrived;
      child.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(await installed()).toEqual(earlier);
    } finally {
      held.close();
    }
    // As after an hour, when what did not arrive is given up: a part is not listed by its version either.
    await service.db.query("update plugin_objects set announced_at = announced_at - interval '2 hours'");
    await service.sweep('plugin uploads');
    expect(await installed()).toEqual(earlier);
    const part = await service.admin.get('/v1/plugins?names=criu@3.0.0');
    expect([part.body, part.headers['x-plugins-unavailable']]).toEqual([[], 'criu']);
    // Publishing it again completes it.
    expect(await publish(third.args, variables(service.url))).toMatchObject({ code: 0, stderr: '' });
    expect(await installed()).toEqual({ listed: [['3.0.0', '3.0.0', 2]], downloads: third.files });
  });

  it('succeeds although each upload takes as long as an address is valid', async () => {
    const { files, args } = buildOf('4.0.0');
    let uploads = 0;
    const slow = await holding(Infinity, () => {
      uploads++;
      service.clock.advance(service.environment.objectUrlSeconds);
    });
    try {
      expect(await publish(args, variables(slow.url))).toMatchObject({ code: 0, stderr: '' });
    } finally {
      slow.close();
    }
    expect(uploads).toBe(2 * NAMES.length);
    expect(await installed()).toEqual({ listed: [['4.0.0', '4.0.0', 2]], downloads: files });
  });
});

describe('publishing a plugin to a storage that loses or changes it', () => {
  it('fails', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'main');
    writeFileSync(file, 'bytes');
    // Accepts everything, and serves something else; or nothing.
    let handedOut: string | undefined;
    let answer = (self: string) =>
      JSON.stringify({ latest_upload_url: `${self}/up`, version_upload_url: `${self}/up` });
    let cut = false;
    const server = createServer((req, res) => {
      const self = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      req.resume().on('end', () => {
        if (req.method === 'POST') {
          res.setHeader('content-type', 'application/json');
          res.end(answer(self));
        } else if (req.url?.startsWith('/v1/plugins/download') && handedOut !== undefined) {
          res.writeHead(302, { location: '/there' }).end();
        } else if (req.url === '/there') {
          if (!cut) return res.end(handedOut);
          res.writeHead(200, { 'content-length': 100 }).write('some');
          setTimeout(() => res.destroy(), 50);
        } else res.writeHead(req.method === 'PUT' ? 200 : 404).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const CP = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [file, '--name', 'main', '--version', '1.0.0', '--repository', 'r', '--wait-seconds', '1'];
    try {
      const lost = await publish(args, { CP });
      expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('main is not served after 1 s')]);
      handedOut = 'other bytes';
      const spoilt = await publish(args, { CP });
      expect([spoilt.code, spoilt.stderr]).toEqual([1, expect.stringContaining('the service serves other bytes')]);
      cut = true;
      expect(await publish(args, { CP })).toMatchObject({ code: 1, stderr: 'the download broke off\n' });
      for (const other of ['<html>', '{}', 'null', '{"latest_upload_url": "/up", "version_upload_url": "/up"}']) {
        answer = () => other;
        const refused = await publish(args, { CP });
        expect(refused).toMatchObject({ code: 1, stderr: `the server at ${CP} is not the service\n` });
      }
    } finally {
      server.close();
    }
  });
});
