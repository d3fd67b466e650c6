import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly type: string;
}

/** A software bill of materials in the format CycloneDX; the members that tests read. */
export interface BillOfMaterials {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

export const billIn = (directory: string): BillOfMaterials =>
  JSON.parse(readFileSync(join(directory, 'sbom.json'), 'utf8')) as BillOfMaterials;

/** All files below a directory, by their paths from there. */
export const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));

/** TypeScript, declarations of it, or maps back to it. */
export const isSource = (file: string): boolean => /\.(?:[cm]?ts|tsx|map|tsbuildinfo)$/.test(file);

/** The packages below a directory as npm installed them, as `name@version`. */
export const installedIn = (directory: string): string[] =>
  filesIn(directory)
    .filter((file) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as { name: string; version: string })
    .map(({ name, version }) => `${name}@${version}`);

/** Files and directories that an account without rights can change. */
export const changeable = (directory: string, uid: number): string[] =>
  ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })].filter((file) => {
    const path = join(directory, file);
    if (!existsSync(path)) return false;
    const { uid: owner, mode } = statSync(path);
    return owner === uid || (mode & 0o002) !== 0;
  });
