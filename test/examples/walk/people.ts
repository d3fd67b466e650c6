import { SignJWT, type CryptoKey } from 'jose';
import type { Environment } from '../../../src/1-platform/config/environment';
import { KeyServer } from '../../support/key-server';
import type { Caller, Organisation } from '../../support/service';
import type { Walk } from './walk';

const ISSUER = 'https://identity.example/';
const AUDIENCE = 'control-plane';
const KEY = { alg: 'ES256', kid: 'example' };

const settings = (jwksUrl: string): Partial<Environment> => ({
  jwt: {
    jwksUrl,
    issuer: ISSUER,
    audience: AUDIENCE,
    organisationClaim: 'organisation',
    roleClaim: 'role',
    signIn: undefined,
  },
});

/** Somebody who signs in, by the number of the sign-in: each one gives another bearer. */
const bearer = (key: CryptoKey, { id }: Organisation, signIn: number): Promise<string> =>
  new SignJWT({ organisation: id, role: 'admin', jti: String(signIn) })
    .setProtectedHeader(KEY)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject('jane')
    .setExpirationTime('5m')
    .sign(key);

/** A person repeats a request with another bearer than before, which cannot open the first answer. */
export async function people({ recorder, service, org }: Walk): Promise<void> {
  const provider = await KeyServer.start();
  try {
    const key = await provider.add(KEY.kid, KEY.alg);
    const replica = await service.replica(settings(provider.url));
    const [before, after] = [replica.as(await bearer(key, org, 1)), replica.as(await bearer(key, org, 2))];
    const same = { path: ['gpu-plugin'], headers: { 'idempotency-key': 'example-sealed' } };
    for (const [id, status] of Object.entries({ create_token: 201, create_inference_key: 201, upload_plugin: 200 })) {
      await recorder.expect(status, id, { as: before, ...same });
      await recorder.refuses(409, 'idempotent_answer_sealed', id, { as: after, ...same });
    }
  } finally {
    await provider.close();
  }
}

/** Somebody whose identity provider does not answer. */
export async function unknownPerson({ service, org }: Pick<Walk, 'service' | 'org'>): Promise<Caller> {
  const provider = await KeyServer.start();
  const key = await provider.add(KEY.kid, KEY.alg);
  const replica = await service.replica(settings(provider.url));
  await provider.close();
  return replica.as(await bearer(key, org, 1));
}
