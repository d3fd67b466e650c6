import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The best that this runtime and this database could do: `node:http`, `pg` and one named statement per
 * request, over the tables of the service, without validation. This file has the shared parts.
 */

// As the service reads them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// As in the service, which reads under row level security.
export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.FLOOR_CONNECTIONS ?? 10),
  options: '-c app.system=on',
});

/** The caller: an access token, or an inference key. */
export interface Bearer {
  org_id: string;
  id: string;
  role: string;
}

export interface Answer {
  status: number;
  /** JSON. */
  body?: string;
}

/** Answers a request for one path. */
export type Work = (bearer: Bearer, body: string) => Promise<Answer>;

const BEARER = `
  select org_id, id, role from access_tokens where digest = $1 and revoked_at is null
  union all
  select org_id, id, 'key' from inference_keys where digest = $1 and revoked_at is null`;

const bearers = new Map<string, Bearer>();

export async function bearerOf(header: string): Promise<Bearer | undefined> {
  const remembered = bearers.get(header);
  if (remembered) return remembered;
  const digest = createHash('sha256').update(header.slice('Bearer '.length)).digest();
  const [bearer] = (await pool.query<Bearer>(BEARER, [digest])).rows;
  if (bearer) bearers.set(header, bearer);
  return bearer;
}
