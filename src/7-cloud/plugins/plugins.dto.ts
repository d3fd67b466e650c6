import { Bool, Int, ListOf, OneOf, Str, Time } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import {
  ARCH,
  ARCH_TEXT,
  BUILDS,
  CHECKSUM,
  DEFAULT_ARCH,
  DEFAULT_BUILD,
  KINDS,
  LATEST,
  REPOSITORY,
  REPOSITORY_TEXT,
  VERSION,
  VERSION_TEXT,
  type Build,
  type PluginKind,
} from './uploads/plugin-objects';

const Arch = (nullable: boolean) =>
  Str({
    optional: true,
    ...(nullable ? { nullable } : {}),
    pattern: ARCH,
    patternText: ARCH_TEXT,
    description: `Architecture, ${DEFAULT_ARCH} by default`,
  });

const Version = (nullable: boolean, description: string) =>
  Str({
    optional: true,
    ...(nullable ? { nullable } : {}),
    pattern: VERSION,
    patternText: VERSION_TEXT,
    description,
  });

const Repository = (description: string, presence: { optional?: true; lenient?: true }) =>
  Str({ ...presence, pattern: REPOSITORY, patternText: REPOSITORY_TEXT, description });

/** The build of a file. */
export class DownloadQuery {
  @Version(false, `Exact version, or ${LATEST}, the default`)
  version?: string;

  @Arch(false)
  arch?: string;

  @OneOf(BUILDS, { optional: true, description: `Build type, ${DEFAULT_BUILD} by default` })
  build?: Build;

  @Bool({
    query: true,
    optional: true,
    description: 'Only of one repository: `repository`, else the one that published the name first',
  })
  exact?: boolean;

  @Repository('Only of this repository, with or without `exact`', { optional: true })
  repository?: string;
}

/** A page is one of names: the version of each is chosen after it, and some names have none that fits. */
export class ListPluginsQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Maximum number of names, clamped to ${MAX_ROWS}; names without a version that fits count too`,
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Names to skip' })
  offset?: number;

  @Str({ optional: true, max: 40_000, description: 'Comma-separated names, each may pin name@version' })
  names?: string;

  @Str({
    optional: true,
    max: 256,
    description:
      'Version of the requesting daemon; one without a valid version (dev, main) accepts every version of a plugin',
  })
  compatibility?: string;

  @Arch(false)
  arch?: string;

  @OneOf(BUILDS, { optional: true, description: `Build type, ${DEFAULT_BUILD} by default` })
  build?: Build;
}

export class PluginFileView {
  @Str({ description: 'Name for the download' })
  name!: string;

  @Str({ description: 'Target folder' })
  install_dir!: string;

  @Str({ nullable: true, description: 'MD5 or SHA-256, hexadecimal, as its publisher stated it' })
  checksum!: string | null;
}

export const STATUSES = ['UNKNOWN', 'AVAILABLE', 'INSTALLED', 'OUTDATED'] as const;
export const TYPES = ['UNIMPLEMENTED', 'DEPRECATED', 'EXPERIMENTAL', 'EXTERNAL', 'SUPPORTED'] as const;

export class PluginView {
  @Str()
  name!: string;

  @Str()
  version!: string;

  @Str({ description: 'The version that a request without one gets' })
  latest_version!: string;

  @Time()
  published_at!: string;

  @Int({ format: null, description: 'Total of its files, in bytes' })
  size!: number;

  @Str({ description: 'AVAILABLE, or OUTDATED if another version is the latest' })
  status!: (typeof STATUSES)[number];

  @Str({ description: 'SUPPORTED, or EXPERIMENTAL for alpha builds' })
  type!: (typeof TYPES)[number];

  @ListOf(() => PluginFileView, { maxItems: 1_000, description: 'In the order of the uploads' })
  binaries!: PluginFileView[];

  @ListOf(() => PluginFileView, { maxItems: 1_000, description: 'In the order of the uploads' })
  libraries!: PluginFileView[];
}

export class UploadPluginBody {
  @Repository('Name of the publishing repository; may be absent', { lenient: true })
  repository?: string | null;

  @Arch(true)
  arch?: string | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: /^(alpha|release)$/,
    patternText: 'must be alpha or release',
    description: `alpha or release; ${DEFAULT_BUILD} by default`,
  })
  build?: Build | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: CHECKSUM,
    patternText: 'must be an MD5 (32) or a SHA-256 (64 characters), hexadecimal',
    description: 'MD5 or SHA-256, hexadecimal; the upload is checked against it',
  })
  checksum?: string | null;

  @Version(true, 'By default a version older than all releases, generated from the time')
  version?: string | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 256,
    description: 'Versions of the daemons that it fits, a range of semver; all daemons by default',
    example: '>=1.2 <3',
  })
  daemon_versions?: string | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 255,
    description: 'The plugin it is a file of; by default one of its own name',
  })
  plugin?: string | null;

  @OneOf(KINDS, { optional: true, nullable: true, description: 'By its name by default' })
  kind?: PluginKind | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: /^(?!.*\/\.\.?(\/|$))\/[A-Za-z0-9._/-]{0,254}$/,
    patternText:
      'must be an absolute path of at most 255 characters A-Z a-z 0-9 . _ - /, without . and .. among its parts',
    description: 'Target folder; /usr/local/bin or /usr/local/lib by default',
  })
  install_dir?: string | null;
}

export class UploadUrlsView {
  @Str({ description: 'PUT the bytes here to make them the latest' })
  latest_upload_url!: string;

  @Str({ description: 'PUT the bytes here for the version' })
  version_upload_url!: string;
}
