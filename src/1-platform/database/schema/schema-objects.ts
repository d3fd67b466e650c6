import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** In the order in which they are written: a trigger calls a function. */
export const OBJECT_KINDS = ['function', 'view', 'trigger'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** Where a domain keeps its files, by kind. */
const FOLDERS: Readonly<Record<string, ObjectKind>> = { functions: 'function', views: 'view', triggers: 'trigger' };

/** A function, view or trigger of the database, as its file defines it. */
export interface SchemaObject {
  readonly kind: ObjectKind;
  /** Unique for its kind in the whole database. */
  readonly name: string;
  /** Path below `src` or `dist`. */
  readonly file: string;
  /** One statement `create or replace`. */
  readonly definition: string;
  readonly checksum: string;
}

/** `src`, or `dist` in a build, which holds copies of the files. */
const ROOT = resolve(__dirname, '../../..');

/** @throws Error for a file that does not define what its path says */
export function readSchemaObjects(root = ROOT): SchemaObject[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readObject(root, file))
    .sort((a, b) => OBJECT_KINDS.indexOf(a.kind) - OBJECT_KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
}

function readObject(root: string, file: string): SchemaObject {
  const name = basename(file, '.sql');
  const kind = FOLDERS[basename(dirname(file))];
  const definition = readFileSync(join(root, file), 'utf8');
  // After the comment at its top, which says what it is for.
  if (!kind || !new RegExp(`^(--.*\\n)*create or replace ${kind} ${name}\\b`).test(definition))
    throw new Error(`${file} does not define what its path says: <domain>/functions|views|triggers/<name>.sql`);
  return { kind, name, file, definition, checksum: checksumOf(definition) };
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of all files together. It changes with each of them. */
export const fingerprintOf = (objects: readonly SchemaObject[]): string =>
  checksumOf(objects.map(({ kind, name, checksum }) => `${kind} ${name} ${checksum}\n`).join(''));
