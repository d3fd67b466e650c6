import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The text of the description, as it is served. The build writes it behind the modules that it describes. */
export const BUILT = join(__dirname, 'description.json');

export const textOf = (document: OpenAPIObject): string => JSON.stringify(document);

/** The document itself is not kept: it takes several times the memory of its text. */
interface Served {
  readonly json: Buffer;
  readonly tag: string;
}

const served = new WeakMap<INestApplication, Promise<Served>>();

/**
 * The description, which depends on the modules only: it is the same in every environment, and does not
 * change while the process runs. If the build did not write it, it is made here. This takes a quarter of a
 * second, so the service asks before it listens. Tests do not, and the first caller waits.
 */
export function servedDescription(app: INestApplication, built = BUILT): Promise<Served> {
  const known = served.get(app);
  if (known) return known;
  const made = make(app, built);
  served.set(app, made);
  return made;
}

async function make(app: INestApplication, built: string): Promise<Served> {
  const json = (await read(built)) ?? Buffer.from(await describeNow(app));
  return { json, tag: `"${createHash('sha256').update(json).digest('base64url')}"` };
}

const read = (file: string): Promise<Buffer | undefined> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** With all recorded examples, which nothing else needs: they are loaded only here. */
async function describeNow(app: INestApplication): Promise<string> {
  const { describe } = (await import(join(__dirname, 'description'))) as typeof import('./description');
  return textOf(describe(app));
}
