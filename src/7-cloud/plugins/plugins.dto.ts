import { Bool, Int, ListOf, OneOf, Str, Time } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
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
    description: `Architecture, ${DEFAULT_ARCH} unless told`,
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

/** Which build of a file. */
export class DownloadQuery {
  @Version(false, `Exact version, or ${LATEST}, which it is unless told`)
  version?: string;

  @Arch(false)
  arch?: string;

  @OneOf(BUILDS, { optional: true, description: `Build type, ${DEFAULT_BUILD} unless told` })
  build?: Build;

  @Bool({
    query: true,
    optional: true,
    description: 'Only of one repository: the one told, else the first of that name',
  })
  exact?: boolean;

  @Repository('With `exact`: the repository that published it', { optional: true })
  repository?: string;
}

export class ListPluginsQuery extends PageQuery {
  @Str({ optional: true, max: 40_000, description: 'Comma-separated names, each may pin name@version' })
  names?: string;

  @Str({
    optional: true,
    max: 256,
    description: 'Version of the daemon that asks; what is no version (dev, main) takes every version of a plugin',
  })
  compatibility?: string;

  @Arch(false)
  arch?: string;

  @OneOf(BUILDS, { optional: true, description: `Build type, ${DEFAULT_BUILD} unless told` })
  build?: Build;
}

export class PluginFileView {
  @Str({ description: 'What it is downloaded as' })
  name!: string;

  @Str({ description: 'Folder that it belongs in' })
  install_dir!: string;

  @Str({ nullable: true, description: 'MD5 or SHA-256, hexadecimal, as its publisher told it' })
  checksum!: string | null;
}

export const STATUSES = ['UNKNOWN', 'AVAILABLE', 'INSTALLED', 'OUTDATED'] as const;
export const TYPES = ['UNIMPLEMENTED', 'DEPRECATED', 'EXPERIMENTAL', 'EXTERNAL', 'SUPPORTED'] as const;

export class PluginView {
  @Str()
  name!: string;

  @Str()
  version!: string;

  @Str({ description: 'The version that is had by who asks for none' })
  latest_version!: string;

  @Time()
  published_at!: string;

  @Int({ format: null, description: 'Of all its files, in bytes' })
  size!: number;

  @Str({ description: 'AVAILABLE, or OUTDATED where another version is the latest' })
  status!: (typeof STATUSES)[number];

  @Str({ description: 'SUPPORTED, or EXPERIMENTAL for alpha builds' })
  type!: (typeof TYPES)[number];

  @ListOf(() => PluginFileView, { maxItems: 1_000, description: 'In the order in which they were uploaded' })
  binaries!: PluginFileView[];

  @ListOf(() => PluginFileView, { maxItems: 1_000, description: 'In the order in which they were uploaded' })
  libraries!: PluginFileView[];
}

export class UploadPluginBody {
  @Repository('Name of the repository that publishes it; may be absent', { lenient: true })
  repository?: string | null;

  @Arch(true)
  arch?: string | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: /^(alpha|release)$/,
    patternText: 'must be alpha or release',
    description: `alpha or release; ${DEFAULT_BUILD} unless told`,
  })
  build?: Build | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: CHECKSUM,
    patternText: 'must be an MD5 (32) or a SHA-256 (64 characters), hexadecimal',
    description: 'MD5 or SHA-256, hexadecimal; what is uploaded is held against it',
  })
  checksum?: string | null;

  @Version(true, 'Left out, it is one below all releases, made of the time')
  version?: string | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 256,
    description: 'Versions of the daemons that it is for, a range of semver; all daemons unless given',
    example: '>=1.2 <3',
  })
  daemon_versions?: string | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 255,
    description: 'The plugin it is a file of; one of its own name unless told',
  })
  plugin?: string | null;

  @OneOf(KINDS, { optional: true, nullable: true, description: 'By its name unless told' })
  kind?: PluginKind | null;

  @Str({
    optional: true,
    nullable: true,
    pattern: /^(?!.*\/\.\.?(\/|$))\/[A-Za-z0-9._/-]{0,254}$/,
    patternText:
      'must be an absolute path of at most 255 characters A-Z a-z 0-9 . _ - /, without . and .. among its parts',
    description: 'Folder that it belongs in; /usr/local/bin or /usr/local/lib unless told',
  })
  install_dir?: string | null;
}

export class UploadUrlsView {
  @Str({ description: 'PUT the bytes here, and they are the latest' })
  latest_upload_url!: string;

  @Str({ description: 'PUT the bytes here, and they are the version' })
  version_upload_url!: string;
}
