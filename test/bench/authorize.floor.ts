import { v7 } from 'uuid';
import { DEFAULT_MAX_TOKENS } from '../../src/5-traffic/admissions/prices';
import { pool, type Work } from './floor';

const LIFE_MS = 60_000;

interface Route {
  generation: number;
  /** US dollars per million tokens. */
  prompt: number;
  completion: number;
}

const ROUTE = `
  select r.generation, (p.spec -> 'pricing' ->> 'prompt_usd_per_mtok')::float8 as prompt, (p.spec -> 'pricing' ->> 'completion_usd_per_mtok')::float8 as completion
  from routes r join route_targets t on t.org_id = r.org_id and t.logical_model = r.logical_model
  join profiles p on p.org_id = t.org_id and p.profile_id = t.profile_id
  where r.org_id = $1 and r.logical_model = $2 order by t.priority limit 1`;

const routes = new Map<string, Route>();

async function routeOf(orgId: string, model: string): Promise<Route | undefined> {
  const remembered = routes.get(model);
  if (remembered) return remembered;
  const [route] = (await pool.query<Route>(ROUTE, [orgId, model])).rows;
  if (route) routes.set(model, route);
  return route;
}

// The function of the service, for one request at a time. The service admits all that wait with one call.
const ADMIT = {
  name: 'floor-authorize',
  text: 'select * from admit_requests_of_keys($1, array[$2::uuid], array[$3::uuid], array[$4], array[$5], array[$6::bigint], array[$7::numeric], array[$8::float8], array[$8::float8], array[null], array[null]::bigint[], 1000)',
};

interface Admitted {
  outcome: string;
  id: string;
  route_generation: number;
  expires_at: Date;
}

interface Asked {
  request_id: string;
  logical_model: string;
  estimated_prompt_tokens: number;
}

const authorize: Work = async ({ org_id: orgId, id: keyId }, body) => {
  const { request_id, logical_model, estimated_prompt_tokens: promptTokens } = JSON.parse(body) as Asked;
  const route = await routeOf(orgId, logical_model);
  if (!route) return { status: 404 };
  const usd = (promptTokens * route.prompt + DEFAULT_MAX_TOKENS * route.completion) / 1_000_000;
  const values = [orgId, keyId, v7(), request_id, logical_model, route.generation, usd.toFixed(12), LIFE_MS];
  const { rows } = await pool.query<Admitted>({ ...ADMIT, values });
  const [admitted] = rows;
  if (admitted?.outcome !== 'authorized') return { status: 429 };
  const { id, route_generation: generation, expires_at } = admitted;
  const answer = { authorization_id: id, route_generation: generation, expires_at };
  return { status: 200, body: JSON.stringify(answer) };
};

export const authorizeWork: Record<string, Work> = { '/authorize': authorize };
