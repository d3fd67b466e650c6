/**
 * Publishes the files of a build of a plugin: `npm run plugins:publish -- <file>… --name …`. It announces
 * all files before it uploads any: the service lists no version of which an announced file is missing. The
 * version becomes the latest only when all its files are served as they are here. So no list has a part of
 * it, whenever this program ends. Downloads without a version go over to it one file after the other. Exit
 * code 0 on success, 1 on failure, 2 for wrong arguments.
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
  [--url $CP, or http://127.0.0.1:3000] [--token $TOKEN] [--wait-seconds 60]
several files of one plugin: <file> <file> … --name <name> --name <name> … --plugin <name> …`;

const text = { type: 'string' } as const;
const texts = { ...text, multiple: true } as const;
const OPTIONS = {
  name: texts,
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

interface NamedFile {
  readonly file: string;
  /** Of its download. */
  readonly name: string;
}

interface Settings {
  readonly files: readonly NamedFile[];
  readonly url: string;
  readonly token: string | undefined;
  readonly waitSeconds: number;
  /** The description of the build for the service, which is that of each file. */
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
  const files = filesOf(positionals, values.name ?? []);
  if (!values.version) throw new PublishError('--version is needed', 2);
  if (files.length > 1 && !values.plugin) throw new PublishError('--plugin is needed for several files', 2);
  const url = (values.url ?? process.env.CP ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
  if (!URL.canParse(url)) throw new PublishError('--url is no URL', 2);
  const waitSeconds = Number(values['wait-seconds'] ?? 60);
  if (!(waitSeconds > 0)) throw new PublishError('--wait-seconds must be a number above 0', 2);
  return {
    files,
    url,
    token: values.token ?? process.env.TOKEN,
    waitSeconds,
    build: {
      version: values.version,
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

function filesOf(paths: readonly string[], names: readonly string[]): NamedFile[] {
  if (paths.length === 0) throw new PublishError('name a file', 2);
  if (new Set(names).size < names.length) throw new PublishError('--name must be another one for each file', 2);
  if (names.length > paths.length) throw new PublishError('--name is given more often than files are', 2);
  return paths.map((file, place) => {
    const name = names[place];
    if (!name) throw new PublishError(`--name is needed for ${file}`, 2);
    return { file, name };
  });
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
  const { version, arch, build } = settings.build;
  const local = await each(settings.files, async ({ file, name }) => {
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new PublishError(`${file} is no file`, 2);
    const checksum = await digestOf(createReadStream(file));
    say(`${file}: ${found.size} bytes, SHA-256 ${checksum}`);
    return { file, name, checksum };
  });
  if (local.length > 1) await each(local, (one) => announce(settings, one));
  // With an address of its own: those of before may have expired during the uploads and downloads since then.
  const upload = (what: 'version' | 'latest') =>
    each(local, async (one) => {
      const { [what]: url } = await announce(settings, one);
      await put(one.file, url);
      say(`uploaded ${one.name} to ${new URL(url).host} as ${what}`);
    });
  await upload('version');
  await each(local, async ({ name, checksum }) => {
    const served = await downloaded(settings, name);
    if (served !== checksum) throw new PublishError(`the service serves other bytes of ${name}: SHA-256 ${served}`);
  });
  await upload('latest');
  for (const { name } of local)
    say(`published ${name} ${version} (${arch}, ${build}); downloaded again, and it is the same`);
}

/** One after the other. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(bytes, hash);
  return hash.digest('hex');
}

const authorization = ({ token }: Settings): Record<string, string> =>
  token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };

async function announce(
  settings: Settings,
  { name, checksum }: { readonly name: string; readonly checksum: string },
): Promise<{ version: string; latest: string }> {
  const { url, build } = settings;
  const answer = await ask(`${url}/v1/plugins/upload/${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(settings) },
    body: JSON.stringify({ ...build, checksum }),
  });
  if (answer.status !== 200) throw new PublishError(`the service refused ${name}: ${await reasonOf(answer)}`);
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

/**
 * Waits until a file is served, by its version: somebody else may publish another latest build meanwhile.
 * @returns the SHA-256 of the download
 */
async function downloaded(settings: Settings, name: string): Promise<string> {
  const { url, build, waitSeconds } = settings;
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
    if (performance.now() > until) throw new PublishError(`${name} is not served after ${waitSeconds} s: ${reason}`);
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
