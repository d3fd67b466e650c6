import { SignJWT, type CryptoKey } from 'jose';
import type { DescribedOperation } from '../../support/description';

/** Somebody who sends requests. */
export interface Identity {
  readonly name: string;
  /** The whole header; undefined: none is sent. */
  readonly authorization: string | undefined;
  /** As the description names it; undefined: the bearer is not valid. */
  readonly role: string | undefined;
  readonly scope?: 'platform' | undefined;
  /** Whether requests that are meant to succeed may be sent by it. */
  readonly able: boolean;
}

export const ISSUER = 'https://identity.example/';
export const AUDIENCE = 'control-plane';
export const ORGANISATION_CLAIM = 'tenant';
export const ROLE_CLAIM = 'role';

const ROLES = ['viewer', 'operator', 'controller', 'admin'] as const;

/** One of each kind that the rules of access tell apart. Every operation is requested as each of them. */
export const EVERY_ROLE = [...ROLES, 'platform', 'key', 'nobody'];

const OF_THE_FIRST_ORGANISATION = ['upload_plugin'];

/** Sends a JSON body with a bearer. */
export type Ask = (token: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const bearer = (token: unknown): string => `Bearer ${String(token)}`;

/** Every kind of bearer, in one organisation, and those of another one. */
export class Identities {
  private constructor(
    private readonly all: ReadonlyMap<string, Identity>,
    /** Ids of their tokens and keys: revoking one would end its part of the run. */
    readonly ids: ReadonlySet<string>,
  ) {}

  static async create(ask: Ask, adminToken: string, key: CryptoKey): Promise<Identities> {
    const ids = new Set<string>();
    const listed = (await ask(adminToken, 'GET', '/v1/tokens')) as unknown as { id: string; token_id?: string }[];
    for (const { id, token_id } of listed) ids.add(token_id ?? id);
    const organisation = async (name: string) =>
      String((await ask(adminToken, 'POST', '/v1/organisations', { name })).id);
    const token = async (body: object): Promise<string> => {
      const made = await ask(adminToken, 'POST', '/v1/tokens', body);
      ids.add(String(made.token_id));
      return String(made.raw_token);
    };
    const home = await organisation(`fuzz-${Date.now()}`);
    const away = await organisation(`elsewhere-${Date.now()}`);
    const found: Identity[] = [
      { name: 'platform', authorization: bearer(adminToken), role: 'admin', scope: 'platform', able: true },
    ];
    for (const role of ROLES) {
      const raw = await token({ name: role, role, organisation_id: home });
      found.push({ name: role, authorization: bearer(raw), role, able: true });
      const foreign = await token({ name: role, role, organisation_id: away });
      found.push({ name: `foreign ${role}`, authorization: bearer(foreign), role, able: false });
    }
    const operator = String(found.find(({ name }) => name === 'operator')?.authorization).slice('Bearer '.length);
    const inferenceKey = async (name: string, body: object, able: boolean) => {
      const made = await ask(operator, 'POST', '/v1/inference/keys', { name, ...body });
      ids.add(String(made.key_id));
      found.push({ name, authorization: bearer(made.raw_key), role: 'key', able });
      return made;
    };
    await inferenceKey('key', {}, true);
    await inferenceKey('poor key', { budget_usd: 0.000_001 }, false);
    await inferenceKey('slow key', { rate_limit_rps: 1 }, false);
    await inferenceKey('narrow key', { models: ['another-model'] }, false);
    const revokedKey = await ask(operator, 'POST', '/v1/inference/keys', { name: 'revoked' });
    await ask(operator, 'DELETE', `/v1/inference/keys/${String(revokedKey.key_id)}`);
    const revoked = await ask(adminToken, 'POST', '/v1/tokens', {
      name: 'revoked',
      role: 'admin',
      organisation_id: home,
    });
    await ask(adminToken, 'DELETE', `/v1/tokens/${String(revoked.token_id)}`);
    const jwt = (role: string, expires: string) =>
      new SignJWT({ sub: 'somebody', [ORGANISATION_CLAIM]: home, [ROLE_CLAIM]: role })
        .setProtectedHeader({ alg: 'ES256', kid: 'fuzz' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setExpirationTime(expires)
        .sign(key);
    found.push(
      { name: 'jwt', authorization: bearer(await jwt('operator', '12h')), role: 'operator', able: true },
      ...[
        ['expired jwt', bearer(await jwt('admin', '-1h'))],
        ['unsigned jwt', bearer('eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.')],
        ['nobody', undefined],
        ['unknown token', bearer(`ccp_${'u'.repeat(43)}`)],
        ['unknown key', bearer(`sk-${'u'.repeat(43)}`)],
        ['revoked token', bearer(revoked.raw_token)],
        ['revoked key', bearer(revokedKey.raw_key)],
        ['basic', 'Basic YWRtaW46YWRtaW4='],
        ['empty bearer', 'Bearer '],
        ['SQL', "Bearer ' or pg_sleep(3)--"],
        ['long bearer', bearer('t'.repeat(6_000))],
        ['bytes', 'Bearer \u00e4\u00ff'],
      ].map(([name = '', authorization]) => ({ name, authorization, role: undefined, able: false })),
    );
    return new Identities(new Map(found.map((identity) => [identity.name, identity])), ids);
  }

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  get(name: string): Identity {
    const found = this.all.get(name);
    if (!found) throw new Error(`there is no identity ${name}`);
    return found;
  }

  /** Those of the first organisation that an operation allows; the first one may do most. */
  ableTo({ id, roles = [], scope }: DescribedOperation): readonly string[] {
    if (scope === 'platform' || OF_THE_FIRST_ORGANISATION.includes(id)) return ['platform'];
    const able = [...this.all.values()].filter(
      ({ able: isAble, name, role }) => isAble && name !== 'platform' && role !== undefined && roles.includes(role),
    );
    return able.length > 0 ? able.map(({ name }) => name) : ['viewer'];
  }
}
