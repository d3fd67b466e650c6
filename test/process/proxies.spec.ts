import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { Authority } from '../support/authority';
import { describeWith, find } from '../support/components';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/free-ports';
import { OwnPostgres } from '../support/own-postgres';
import { TOKEN } from '../support/replicas';
import { shownConfiguration } from '../support/shown-configuration';
import { startBuilt, type Start } from '../support/start';
import { StartedProgram } from '../support/started-program';

const PROXIES = ['haproxy', 'nginx'] as const;
type Proxy = (typeof PROXIES)[number];

/** Of a controller with large pods. nginx refuses more than 1 MB by default. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** A replica of the guide's examples, in both languages. */
const SERVER = /^ *server .*10\.0\.0\.\d+:3000;?\n/gm;

const shown = (proxy: Proxy): string => shownConfiguration(proxy, '', 'deploying');

/** As docs/guides/deploying.md shows them. */
describeWith([...PROXIES, 'openssl'], 'the proxies of the guide', () => {
  let directory: string;
  let postgres: OwnPostgres;
  let service: Start;
  let authority: Authority;
  let serviceUrl: string;
  const ports = {} as Record<Proxy, number>;
  const started: StartedProgram[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'proxies-'));
    postgres = await OwnPostgres.create();
    service = startBuilt({ DATABASE_URL: postgres.url, BOOTSTRAP_TOKEN: TOKEN });
    serviceUrl = await service.address();
    authority = new Authority(directory, 'authority');
    const { certificate, key } = authority.issue('IP:127.0.0.1', undefined);
    const both = join(directory, 'both.pem');
    writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
    [ports.haproxy = 0, ports.nginx = 0] = await freePorts(2);
    const server = new URL(serviceUrl).host;

    const replaced = { haproxy: 0, nginx: 0 };
    const withServer = (proxy: Proxy, line: string): string =>
      shown(proxy).replace(SERVER, () => (replaced[proxy]++ === 0 ? line : ''));
    const haproxy = withServer('haproxy', `  server a ${server}\n`)
      .replace('bind :443', `bind 127.0.0.1:${ports.haproxy}`)
      .replace(/crt \S+/, `crt ${both}`);
    const nginx = withServer('nginx', `  server ${server};\n`)
      .replace('listen 443', `listen 127.0.0.1:${ports.nginx}`)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    expect(replaced).toEqual({ haproxy: 2, nginx: 2 });
    start('haproxy', haproxy, (file) => ['-db', '-f', file]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `  ${name}_temp_path ${join(directory, name)};\n`,
    );
    const around = `daemon off;\nmaster_process off;\npid ${join(directory, 'pid')};\nevents {}\n`;
    start('nginx', `${around}http {\n  access_log off;\n${temporary.join('')}${nginx}}\n`, (file) => [
      ...['-e', join(directory, 'nginx.log'), '-c', file],
    ]);
    for (const proxy of PROXIES)
      await eventually(async () => expect((await ask(proxy, 'GET', '/readyz')).status).toBe(200));
  });
  afterAll(async () => {
    for (const program of started) await program.kill();
    service.kill();
    await service.exit;
    await postgres.remove();
    rmSync(directory, { recursive: true });
  });

  function start(proxy: Proxy, configuration: string, args: (file: string) => string[]): void {
    const file = join(directory, `${proxy}.conf`);
    writeFileSync(file, configuration);
    const child = spawn(find(proxy) ?? proxy, args(file), { stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(new StartedProgram(child));
  }

  /** By TLS, with the path as it is written. */
  function ask(proxy: Proxy, method: string, path: string, body = ''): Promise<{ status: number; body: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const asked = request(
      { host: '127.0.0.1', port: ports[proxy], ca: authority.text, method, path, headers, agent: false },
      (response) => {
        const { statusCode: status = 0 } = response;
        text(response).then((answer) => resolve({ status, body: answer }), reject);
      },
    );
    asked.on('error', reject).end(body);
    return promise;
  }

  it.each(PROXIES)('pass a batch of a controller: %s', async (proxy) => {
    let id = '';
    // Behind haproxy, a service that answers no check for a moment is none.
    await eventually(async () => {
      const made = await ask(proxy, 'POST', '/v1/cluster', JSON.stringify({ cluster_name: proxy }));
      expect(made.status).toBe(200);
      id = made.body;
    });
    const metadata = { name: 'large', namespace: 'default', uid: proxy, annotations: { note: '' } };
    const pod = { type: 'Pod', kind: 'Pod', metadata, status: { phase: 'Running' } };
    const many = Array.from({ length: 100 }, (_, place) => ({
      ...pod,
      metadata: { ...metadata, uid: `${proxy}-${place}`, annotations: { note: 'n'.repeat(BATCH_BYTES / 100) } },
    }));
    const answer = await ask(
      proxy,
      'POST',
      '/v1/cluster/sync/batch',
      JSON.stringify({ cluster_id: id, resources: many }),
    );
    expect([answer.status, answer.body.slice(0, 200)]).toEqual([200, expect.anything()]);
  });

  it.each(
    PROXIES.flatMap((proxy) => ['/metrics', '/metrics/', '/Metrics', '/METRICS?all=1'].map((path) => [proxy, path])),
  )('keep the metrics of the service inside: %s, %s', async (proxy, path = '') => {
    expect((await fetch(serviceUrl + path)).status).toBe(200);
    expect((await ask(proxy as Proxy, 'GET', path)).status).toBe(403);
  });

  it.each([
    ['haproxy', /timeout (?:client|server) (\d+)s/g, 2],
    ['nginx', /proxy_read_timeout (\d+)s/g, 1],
  ] as const)('wait longer than a worker may take: %s', (proxy, setting, count) => {
    const waits = [...shown(proxy).matchAll(setting)].map(([, seconds]) => Number(seconds));
    expect(waits).toHaveLength(count);
    for (const seconds of waits) expect(seconds).toBeGreaterThan(readEnvironment({}).workerAnswerTimeoutSeconds);
  });

  it('take as large a body as a file may have: nginx', () => {
    const [, gibibytes] = /client_max_body_size (\d+)g;/.exec(shown('nginx')) ?? [];
    expect(Number(gibibytes) * 1024 ** 3).toBeGreaterThanOrEqual(readEnvironment({}).objectMaxBytes);
  });
});
