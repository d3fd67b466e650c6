import type { Notifications } from '../../database/connections/notifications';
import type { StatementPool } from '../../database/connections/statement-pool';
import type { Statement, Values } from '../../database/transactions/statement';
import type { JwtVerifier } from './jwt-verifier';
import { KEY_CHANGED, KeyVerifier } from './key-verifier';
import { KnownBearers } from './known-bearers';
import { newKey, newToken, tokenDigest } from './token-secrets';
import { TOKEN_REVOKED, TokenVerifier } from './token-verifier';

describe('known bearers', () => {
  /** What the database finds, by the digest of a bearer. */
  let rows: Map<string, object>;
  let sent: string[];
  /** What arrives on a channel of the database. */
  let arrives: Map<string, (id: string) => void>;
  let tokens: TokenVerifier;
  let keys: KeyVerifier;
  let jwtOrg: string | undefined;
  let known: KnownBearers;

  beforeEach(() => {
    [rows, sent, arrives, jwtOrg] = [new Map(), [], new Map(), undefined];
    const statements = {
      run: ({ name }: Statement, { digest }: Values) => {
        sent.push(name);
        const row = rows.get((digest as Buffer).toString('hex'));
        return Promise.resolve(row ? [row] : []);
      },
    } as unknown as StatementPool;
    const notifications = {
      on: (channel: string, handle: (id: string) => void) => arrives.set(channel, handle),
    } as unknown as Notifications;
    tokens = new TokenVerifier(statements, notifications);
    keys = new KeyVerifier(statements, notifications);
    tokens.onModuleInit();
    keys.onModuleInit();
    known = new KnownBearers(tokens, keys, { lastKnownOrg: () => jwtOrg } as unknown as JwtVerifier);
    // The clock stands still, so nothing that is remembered grows old.
    jest.spyOn(performance, 'now').mockReturnValue(1_000);
  });
  afterEach(() => jest.restoreAllMocks());

  const store = (bearer: string, row: object): string => {
    rows.set(tokenDigest(bearer).toString('hex'), row);
    return bearer;
  };
  const token = (id: string) =>
    store(newToken(), { org_id: `org of ${id}`, id, role: 'viewer', scope: 'organisation', lives_ms: null });
  const key = (id: string) => store(newKey(), { org_id: `org of ${id}`, id, models: ['model'] });
  const findsBoth = (one: string, other: string) =>
    [one, other].map((bearer) => known.find(`Bearer ${bearer}`)?.orgId ?? null);

  it('are those of tokens and keys that were valid when they were looked up last', async () => {
    const [one, other] = [token('token'), key('key')];
    expect(findsBoth(one, other)).toEqual([null, null]);
    expect(await tokens.verify(one)).toEqual({
      orgId: 'org of token',
      actorId: 'token',
      role: 'viewer',
      scope: 'organisation',
    });
    expect(await keys.verify(other)).toEqual({
      orgId: 'org of key',
      actorId: 'key',
      role: 'key',
      scope: 'organisation',
      key: { keyId: 'key', models: ['model'] },
    });
    expect(known.find(`bearer   ${one}`)).toEqual({ bearer: one, orgId: 'org of token' });
    expect(known.find(`Bearer ${other}`)).toEqual({ bearer: other, orgId: 'org of key' });
    // Nothing of it asked the database.
    expect(sent).toEqual(['verify-token', 'verify-inference-key']);
  });

  it('are those of accepted tokens of an identity provider', () => {
    jwtOrg = 'org';
    expect(known.find('Bearer a.b.c')).toEqual({ bearer: 'a.b.c', orgId: 'org' });
  });

  it.each([undefined, '', 'Basic abc', 'Bearer'])('are not sent as %j', (header) => {
    jwtOrg = 'org';
    expect(known.find(header)).toBeUndefined();
  });

  it('are no bearers that the database does not know', async () => {
    expect([await tokens.verify(newToken()), await keys.verify(newKey())]).toEqual([undefined, undefined]);
    expect(sent).toEqual(['verify-token', 'verify-inference-key']);
  });

  it('are no keys without the prefix of keys, for which nothing is looked up', async () => {
    const other = store('a-key-that-ends-with-sk-', { org_id: 'org', id: 'key', models: [] });
    expect(await keys.verify(other)).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it.each([
    ['tokens', TOKEN_REVOKED, token, (bearer: string) => tokens.verify(bearer)],
    ['keys', KEY_CHANGED, key, (bearer: string) => keys.verify(bearer)],
  ])('are forgotten when they are revoked, and others are not: %s', async (_kind, channel, make, verify) => {
    const [revoked, kept] = [make('revoked'), make('kept')];
    for (const bearer of [revoked, kept, revoked, kept]) await verify(bearer);
    expect(sent).toHaveLength(2);
    arrives.get(channel)?.('revoked');
    expect(findsBoth(revoked, kept)).toEqual([null, 'org of kept']);
    await verify(kept);
    expect(sent).toHaveLength(2);
    rows.delete(tokenDigest(revoked).toString('hex'));
    expect(await verify(revoked)).toBeUndefined();
    expect(sent).toHaveLength(3);
  });

  it('are forgotten by whoever remembers something else of a key that was changed, here or elsewhere', () => {
    const forgotten: string[] = [];
    keys.onChange((id) => forgotten.push(`${id} of one`));
    keys.onChange((id) => forgotten.push(`${id} of another`));
    arrives.get(KEY_CHANGED)?.('there');
    keys.forget('here');
    expect(forgotten).toEqual(['there of one', 'there of another', 'here of one', 'here of another']);
  });
});
