/**
 * Publishes one file as a build of a plugin: `npm run plugins:publish -- <file> --name …`. It uploads the
 * file, waits until the service serves it, and compares the download with the file. Exit code 0 on success, 1
 * on failure, 2 for wrong arguments.
 */
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isJsonObject, jsonIfAny } from '../../1-platform/common/json/json';
import { definedMembers } from '../../1-platform/common/fields/defined-members';

const USAGE = `npm run plugins:publish -- <file> --name <name> --version <version> [--repository <repository>]
  [--daemon-versions <range>] [--arch amd64] [--build release] [--plugin <name>] [--kind binary|library] [--install-dir <folder>]
  [--url $CP, or http://127.0.0.1:3000] [--token $TOKEN] [--wait-seconds 60]`;

const text = { type: 'string' } as const;
const OPTIONS = {
  name: text,
  version: text,
  repository: text,
  'daemon-versions': text,
  arch: text,
  build: text,
  plugin: text,
  kind: text,
  'install-dir': text,
  url: text,
  token: text,
  'wait-seconds': text,
};

/** An error for the person, in one line. */
class PublishError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

interface Settings {
  readonly file: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly name: string;
  readonly waitSeconds: number;
  /** The description of the build for the service. */
  readonly build: {
    readonly repository?: string;
    readonly daemon_versions?: string;
    readonly version: string;
    readonly arch: string;
    readonly build: string;
    readonly plugin?: string;
    readonly kind?: string;
    readonly install_dir?: string;
  };
}

function settingsOf(args: string[]): Settings {
  const { values, positionals } = parsed(args);
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new PublishError('name one file', 2);
  const needed = (name: 'name' | 'version'): string => {
    const value = values[name];
    if (!value) throw new PublishError(`--${name} is needed`, 2);
    return value;
  };
  const url = (values.url ?? process.env.CP ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
  if (!URL.canParse(url)) throw new PublishError('--url is no URL', 2);
  const waitSeconds = Number(values['wait-seconds'] ?? 60);
  if (!(waitSeconds > 0)) throw new PublishError('--wait-seconds must be a number above 0', 2);
  return {
    file,
    url,
    token: values.token ?? process.env.TOKEN,
    name: needed('name'),
    waitSeconds,
    build: {
      version: needed('version'),
      arch: values.arch ?? 'amd64',
      build: values.build ?? 'release',
      ...definedMembers({
        repository: values.repository,
        daemon_versions: values['daemon-versions'],
        plugin: values.plugin,
        kind: values.kind,
        install_dir: values['install-dir'],
      }),
    },
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new PublishError((error as Error).message, 2);
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function publish(settings: Settings): Promise<void> {
  const { file, name, build } = settings;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new PublishError(`${file} is no file`, 2);
  const checksum = await digestOf(createReadStream(file));
  say(`${file}: ${found.size} bytes, SHA-256 ${checksum}`);

  const urls = await announce(settings, checksum);
  for (const [what, url] of Object.entries(urls)) {
    await put(file, url);
    say(`uploaded to ${new URL(url).host} as ${what}`);
  }
  // By its version: somebody else may have published another latest build meanwhile.
  const served = await downloaded(settings);
  if (served !== checksum) throw new PublishError(`the service serves other bytes: SHA-256 ${served}`);
  say(`published ${name} ${build.version} (${build.arch}, ${build.build}); downloaded again, and it is the same`);
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(bytes, hash);
  return hash.digest('hex');
}

const authorization = ({ token }: Settings): Record<string, string> =>
  token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };

async function announce(settings: Settings, checksum: string): Promise<{ version: string; latest: string }> {
  const { url, name, build } = settings;
  const answer = await ask(`${url}/v1/plugins/upload/${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(settings) },
    body: JSON.stringify({ ...build, checksum }),
  });
  if (answer.status !== 200) throw new PublishError(`the service refused it: ${await reasonOf(answer)}`);
  const reply = (await answer.json().catch(() => undefined)) as Record<string, unknown> | null | undefined;
  const [version, latest] = [reply?.version_upload_url, reply?.latest_upload_url];
  if (!isUrl(version) || !isUrl(latest)) throw new PublishError(`the server at ${url} is not the service`);
  return { version, latest };
}

const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);

async function put(file: string, url: string): Promise<void> {
  // With its length, which object storage requires.
  const answer = await ask(url, { method: 'PUT', body: await openAsBlob(file) });
  if (!answer.ok) throw new PublishError(`the upload failed: ${await reasonOf(answer)}`);
  await answer.arrayBuffer();
}

/** Waits until it is served. @returns the SHA-256 of the download */
async function downloaded(settings: Settings): Promise<string> {
  const { url, name, build, waitSeconds } = settings;
  const { version, arch, build: type, repository } = build;
  const query = new URLSearchParams({ version, arch, build: type });
  if (repository !== undefined)
    for (const [name, value] of Object.entries({ exact: 'true', repository })) query.set(name, value);
  const until = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const answer = await ask(`${url}/v1/plugins/download/${encodeURIComponent(name)}?${query.toString()}`, {
      headers: authorization(settings),
      // The bearer is for the service only: it is not sent to the storage.
      redirect: 'manual',
    });
    const location = answer.headers.get('location');
    if (answer.status === 302 && location !== null) {
      const bytes = await ask(new URL(location, url).href, {});
      if (!bytes.ok || bytes.body === null) throw new PublishError(`the download failed: ${await reasonOf(bytes)}`);
      return await digestOf(bytes.body).catch(() => {
        throw new PublishError('the download broke off');
      });
    }
    const reason = await reasonOf(answer);
    if (performance.now() > until) throw new PublishError(`it is not served after ${waitSeconds} s: ${reason}`);
    await sleep(500);
  }
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { cause, message } = error as Error;
    throw new PublishError(
      `${new URL(url).host} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

async function reasonOf(answer: Response): Promise<string> {
  const body = await answer.text();
  const problem = jsonIfAny(body);
  return `${answer.status} ${isJsonObject(problem) ? String(problem.message) : body.slice(0, 500)}`;
}

async function main(): Promise<number> {
  try {
    await publish(settingsOf(process.argv.slice(2)));
    return 0;
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    process.stderr.write(`${error.message}\n${error.exitCode === 2 ? `${USAGE}\n` : ''}`);
    return error.exitCode;
  }
}

void main().then((code) => (process.exitCode = code));
