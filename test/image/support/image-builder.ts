import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { find } from '../../support/components';

const PROJECT = join(__dirname, '../../..');
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'control-plane/images');

/** The name that `docker/Dockerfile` builds on. */
const BASE = 'docker.io/library/node:24-bookworm-slim';
const CODENAME = 'bookworm';
const KEY_LABEL = 'control-plane.base';

/** What an image says about how it is run; the members that tests read. */
export interface ImageConfig {
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Cmd: readonly string[] | null;
  readonly Entrypoint: readonly string[] | null;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export interface BuiltImage {
  readonly config: ImageConfig;
  /** Directory with all its files. */
  readonly files: string;
  /** Bytes of its files. */
  readonly bytes: number;
  readonly buildSeconds: number;
}

/**
 * Builds images of `docker/Dockerfile` by buildah, without an engine and without a registry. The base image
 * is made of Debian's packages and of the Node of the npm package `node`, under the name that the Dockerfile
 * asks for. Images and layers stay in a cache directory, so that the next build is quick.
 */
export class ImageBuilder {
  private readonly policy = join(CACHE, 'policy.json');

  constructor() {
    mkdirSync(CACHE, { recursive: true });
    // Nothing is pulled: no image comes from anywhere else.
    writeFileSync(this.policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
    this.makeBase();
  }

  /** @param target a stage of the Dockerfile */
  build(target: string): BuiltImage {
    const began = performance.now();
    const name = `localhost/${target}:test`;
    const args = ['bud', '--layers', '--format', 'docker', '--isolation', 'chroot', '--pull-never'];
    const { status, output } = this.run([
      ...[...args, '--signature-policy', this.policy],
      ...['--target', target, '--file', join(PROJECT, 'docker/Dockerfile'), '--tag', name, PROJECT],
    ]);
    if (status !== 0) throw new Error(`the image ${target} was not built:\n${output.slice(-4_000)}`);
    const buildSeconds = (performance.now() - began) / 1_000;
    this.forgetLayersThatAreNotIn(output);
    const inspected = JSON.parse(this.buildah('inspect', '--type', 'image', name)) as {
      Docker: { config: ImageConfig };
    };
    const container = this.buildah('from', '--pull-never', '--signature-policy', this.policy, name);
    const files = this.buildah('mount', container);
    return { config: inspected.Docker.config, files, bytes: bytesIn(files), buildSeconds };
  }

  /** Bytes of the files of the base image. */
  baseBytes(): number {
    const container = this.buildah('from', '--pull-never', '--signature-policy', this.policy, BASE);
    return bytesIn(this.buildah('mount', container));
  }

  /** Unmounts what was built. The images stay. */
  close(): void {
    this.buildah('rm', '--all');
  }

  /** Images of a changed Dockerfile or changed sources would otherwise fill the disk. */
  private forgetLayersThatAreNotIn(output: string): void {
    const used = [...output.matchAll(/^(?:--> (?:Using cache )?)?([0-9a-f]{11,64})$/gm)].map(([, id = '']) =>
      id.slice(0, 11),
    );
    const unused = this.buildah('images', '--quiet', '--no-trunc', '--filter', 'dangling=true')
      .split('\n')
      .map((id) => id.replace('sha256:', ''))
      .filter((id) => id !== '' && !used.includes(id.slice(0, 11)) && !this.isKept(id));
    // One whose layers another image has cannot be removed, and stays.
    for (const id of unused) this.run(['rmi', id]);
  }

  /** Layers of the other targets, for a day. */
  private isKept(id: string): boolean {
    const { Docker } = JSON.parse(this.buildah('inspect', '--type', 'image', id)) as { Docker: { created: string } };
    return Date.parse(Docker.created) > Date.now() - 86_400_000;
  }

  private makeBase(): void {
    const node = realpathSync(join(PROJECT, 'node_modules/.bin/node'));
    // bin/npm-cli.js of the package npm
    const npm = join(realpathSync(find('npm') ?? 'npm'), '../..');
    const authorities = process.env.NODE_EXTRA_CA_CERTS;
    const key = createHash('sha256')
      .update(readFileSync(node))
      .update(readFileSync(join(npm, 'package.json')))
      .update(authorities ? readFileSync(authorities) : '')
      .update(CODENAME)
      .digest('hex');
    const made = this.run([
      'inspect',
      '--type',
      'image',
      '--format',
      `{{index .Docker.Config.Labels "${KEY_LABEL}"}}`,
      BASE,
    ]);
    if (made.status === 0 && made.output.trim() === key) return;

    const directory = mkdtempSync(join(tmpdir(), 'image-base-'));
    const container = this.buildah('from', 'scratch');
    try {
      execFileSync('debootstrap', ['--variant=minbase', CODENAME, directory, debianMirror()], { stdio: 'pipe' });
      rmSync(join(directory, 'var/cache/apt/archives'), { recursive: true });
      mkdirSync(join(directory, 'var/cache/apt/archives/partial'), { recursive: true });
      copyFileSync(node, join(directory, 'usr/local/bin/node'));
      cpSync(npm, join(directory, 'usr/local/lib/node_modules/npm'), { recursive: true });
      symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(directory, 'usr/local/bin/npm'));
      execFileSync('chroot', [directory, 'groupadd', '--gid', '1000', 'node']);
      execFileSync('chroot', [directory, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
      execFileSync('cp', ['--archive', `${directory}/.`, this.buildah('mount', container)]);
      if (authorities) {
        copyFileSync(authorities, join(this.buildah('mount', container), 'usr/local/share/ca.crt'));
        this.buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/ca.crt', container);
      }
      this.buildah('config', '--label', `${KEY_LABEL}=${key}`, '--cmd', 'node', container);
      this.buildah('commit', '--quiet', '--format', 'docker', '--signature-policy', this.policy, container, BASE);
    } finally {
      this.run(['rm', container]);
      rmSync(directory, { recursive: true, force: true });
    }
  }

  private buildah(...args: string[]): string {
    const { status, output } = this.run(args);
    if (status !== 0) throw new Error(`buildah ${args.join(' ')}: ${output.slice(-2_000)}`);
    return output.trim();
  }

  private run(args: readonly string[]): { status: number | null; output: string } {
    const storage = ['--root', join(CACHE, 'root'), '--runroot', join(CACHE, 'run')];
    const { status, stdout, stderr } = spawnSync('buildah', [...storage, ...args], {
      encoding: 'utf8',
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      maxBuffer: 2 ** 26,
    });
    return { status, output: status === 0 ? stdout : stdout + stderr };
  }
}

/** The mirror from which this machine gets its own packages. */
function debianMirror(): string {
  const sites = execFileSync('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  const mirror = sites.split('\n').find((site) => site.endsWith('/debian'));
  if (mirror === undefined) throw new Error('no mirror of Debian is set up here: the base image cannot be made');
  return mirror;
}

const bytesIn = (directory: string): number =>
  Number(
    execFileSync('du', ['--summarize', '--bytes', '--one-file-system', directory], { encoding: 'utf8' }).split('\t')[0],
  );
