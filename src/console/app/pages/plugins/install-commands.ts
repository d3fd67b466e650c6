import { quoted } from '../../parts/shell';

/** Commands that people paste into a shell on a machine of a cluster. */

export interface Kind {
  readonly arch: string | undefined;
  readonly build: string | undefined;
}

/** What the service takes when nothing else is asked for. */
export const DEFAULTS = { arch: 'amd64', build: 'release' } as const;

/** Only what differs from what the service takes by default. */
function queryOf(members: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined || value === (DEFAULTS as Readonly<Record<string, string>>)[name] ? [] : [[name, value]],
    ),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

export const installCommand = (origin: string, path: '/v1/install' | '/v1/install/slurm', of: Kind): string =>
  `curl -fsSL ${quoted(`${origin}${path}${queryOf({ arch: of.arch, build: of.build })}`)} | sh`;

export const mainCommand = (origin: string, of: Kind): string =>
  `curl -fsSL -o main ${quoted(`${origin}/v1/download${queryOf({ arch: of.arch, build: of.build })}`)} && chmod +x main`;

/** Where a file of a version is downloaded. */
export const downloadAddress = (origin: string, file: string, version: string, of: Kind): string =>
  `${origin}/v1/plugins/download/${encodeURIComponent(file)}${queryOf({ version, arch: of.arch, build: of.build })}`;

/** The file gets the last part of its name. */
export const downloadCommand = (origin: string, file: string, version: string, of: Kind): string =>
  `curl -fsSL -o ${quoted(file.split('/').at(-1) ?? file)} ${quoted(downloadAddress(origin, file, version, of))}`;

export const publishCommand = (origin: string): string =>
  `npm run -s plugins:publish -- ./criu --name criu --version 4.1.0 \\
  --repository github.com/example/plugins --url ${origin} --token "$TOKEN"`;

/** For addresses that a browser must not write to. */
export const uploadCommands = (file: string, urls: readonly string[]): string =>
  urls.map((url) => `curl -fsS -T ${quoted(file)} ${quoted(url)}`).join('\n');
