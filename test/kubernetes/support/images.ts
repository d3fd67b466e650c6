import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { find } from '../../support/components';

/** What every pod of a node begins with. */
export const PAUSE_IMAGE = 'docker.io/local/pause:1';
/** busybox and Python, without the agent and without CRIU, as images of users are. */
export const PYTHON_IMAGE = 'docker.io/local/python:1';
/** The agent with CRIU: its command `install DIRECTORY` copies both, as an init container does. */
export const AGENT_IMAGE = 'docker.io/local/ccp-agent:1';

const PROJECT = join(__dirname, '../../..');
/** The package of what is not a path, and not a part of Node. */
const IMPORT = /(?:require|import)\(["'](?!node:)((?:@[\w.-]+\/)?\w[\w.-]*)[^"']*["']\)/g;
/** Where containers have what the agent's image brings. */
export const KIT = '/opt/ccp';
/** Programs that the agent starts. The shell of busybox prefers its own to those of PATH. */
const TOOLS = ['flock', 'mount', 'nsenter', 'setpriv', 'setsid', 'sh', 'ss', 'unshare'];
const PATHS = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Makes images of this machine's own programs, as no registry is needed for that. */
export class Images {
  /** @param directory for the archives */
  constructor(private readonly directory: string) {}

  /** @returns the archive */
  pause(): string {
    return this.archive('pause', PAUSE_IMAGE, ['/bin/sleep', '2147483647'], (root) => addBusybox(root));
  }

  /** @param programs files of the machine that are put into `/programs` */
  python(programs: readonly string[]): string {
    return this.archive('python', PYTHON_IMAGE, ['/usr/bin/python3'], (root) => {
      addBusybox(root);
      addProgram(root, realpathSync('/usr/bin/python3'), '/usr/bin/python3');
      const library = `/usr/lib/${/python3\.\d+/.exec(realpathSync('/usr/bin/python3'))![0]}`;
      cpSync(library, join(root, library), { recursive: true, filter: (file) => !file.includes('__pycache__') });
      for (const name of spawnSync('find', [`${library}/lib-dynload`, '-name', '*.so'], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((file) => file !== ''))
        addLibraries(root, name);
      // Node needs more of the C library than Python does; images of distributions have all of it.
      addLibraries(root, process.execPath);
      mkdirSync(join(root, 'programs'), { recursive: true });
      for (const file of programs) copyFileSync(file, join(root, 'programs', basename(file)));
    });
  }

  /** @param dist a directory with the compiled agent. Its packages are those of this project. */
  agent(dist: string): string {
    return this.archive('agent', AGENT_IMAGE, ['/ccp/install', '/shared'], (root) => {
      addBusybox(root);
      const home = join(root, 'ccp');
      mkdirSync(join(home, 'bin'), { recursive: true });
      mkdirSync(join(home, 'lib'), { recursive: true });
      cpSync(dist, join(home, 'app/dist'), { recursive: true });
      copyFileSync(join(PROJECT, 'package.json'), join(home, 'app/package.json'));
      for (const path of packagesOf(dist))
        cpSync(path, join(home, 'app', path.slice(PROJECT.length + 1)), { recursive: true });
      copyFileSync(process.execPath, join(home, 'bin/node'));
      const script = (name: string, text: string) =>
        writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      // The workload's image may have another C library, or busybox, whose programs have fewer options.
      for (const name of ['criu', ...TOOLS]) {
        const program = realpathSync(find(name)!);
        copyFileSync(program, join(home, `bin/${name}.real`));
        for (const library of librariesOf(program))
          copyFileSync(realpathSync(library), join(home, 'lib', basename(library)));
        // Without a process of its own: the first one in a new PID namespace must be the program.
        const loader = `${KIT}/lib/ld-linux-x86-64.so.2 --library-path ${KIT}/lib`;
        script(`bin/${name}`, `exec ${loader} ${KIT}/bin/${name}.real "$@"`);
      }
      script(
        'bin/ccp-agent',
        `PATH=${KIT}/bin:$PATH exec ${KIT}/bin/node --max-semi-space-size=1 ${KIT}/app/dist/agent/main.js "$@"`,
      );
      script('install', 'cp -a /ccp/. "$1"');
    });
  }

  private archive(name: string, tag: string, command: readonly string[], fill: (root: string) => void): string {
    const file = join(this.directory, `${name}.tar`);
    if (existsSync(file)) return file;
    const work = join(this.directory, name);
    const root = join(work, 'root');
    mkdirSync(join(root, 'tmp'), { recursive: true });
    fill(root);
    tar(join(work, 'layer.tar'), root, '.');
    const layer = createHash('sha256')
      .update(readFileSync(join(work, 'layer.tar')))
      .digest('hex');
    const config = JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Cmd: command, Env: [PATHS] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
    });
    writeFileSync(join(work, 'config.json'), config);
    const manifest = [{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }];
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    tar(file, work, 'config.json', 'manifest.json', 'layer.tar');
    rmSync(work, { recursive: true, force: true });
    return file;
  }
}

function addBusybox(root: string): void {
  mkdirSync(join(root, 'bin'), { recursive: true });
  copyFileSync(find('busybox')!, join(root, 'bin/busybox'));
  for (const name of ['sh', 'sleep', 'cat', 'cp', 'ls', 'mkdir', 'dirname', 'echo', 'kill', 'ps', 'rm', 'env', 'flock'])
    symlinkSync('busybox', join(root, 'bin', name));
}

function addProgram(root: string, file: string, place = file): void {
  mkdirSync(dirname(join(root, place)), { recursive: true });
  copyFileSync(file, join(root, place));
  addLibraries(root, file);
}

function addLibraries(root: string, file: string): void {
  for (const library of librariesOf(file)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(realpathSync(library), join(root, library));
  }
}

/** With the dynamic linker. */
const librariesOf = (file: string): string[] =>
  [...spawnSync('ldd', [file], { encoding: 'utf8' }).stdout.matchAll(/(\/\S+)\s+\(0x/g)].map(([, path]) => path!);

/** Directories of the packages that compiled files import, and of all that these need. */
function packagesOf(dist: string): string[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const directory = directoryOf(name, from);
    if (directory === undefined || found.has(directory)) return;
    found.add(directory);
    const { dependencies = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) add(dependency, directory);
  };
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js')))
    for (const [, name] of readFileSync(join(dist, file), 'utf8').matchAll(IMPORT)) add(name!, PROJECT);
  return [...found];
}

/** As Node finds it. @returns undefined for what Node itself has */
function directoryOf(name: string, from: string): string | undefined {
  for (let place = from; place.startsWith(PROJECT); place = dirname(place)) {
    const directory = join(place, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return directory;
  }
  return undefined;
}

function tar(file: string, directory: string, ...names: string[]): void {
  const made = spawnSync('tar', [
    '--create',
    '--file',
    file,
    '--directory',
    directory,
    '--owner=0',
    '--group=0',
    ...names,
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
}
