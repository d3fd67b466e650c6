import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { OwnPostgres } from '../support/own-postgres';
import { TOKEN } from '../support/replicas';
import { Caller } from '../support/service';
import { startBuilt, type Start } from '../support/start';

const ROLE = 'arn:aws:iam::123456789012:role/control-plane';

/** As AWS answers whoever has the token of a pod. */
const session = (): string => `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <Credentials>
      <AccessKeyId>key-of-the-role</AccessKeyId>
      <SecretAccessKey>any</SecretAccessKey>
      <SessionToken>session-of-the-role</SessionToken>
      <Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;

/** As docs/guides/deploying.md describes it, for roles of service accounts. */
describe('a bucket without keys, in a pod with a role', () => {
  let directory: string;
  let postgres: OwnPostgres;
  let server: Server;
  let asked: URLSearchParams[];
  let started: Start;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'bucket-with-a-role-'));
    asked = [];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        asked.push(new URLSearchParams(body));
        response.writeHead(200, { 'content-type': 'text/xml' }).end(session());
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    postgres = await OwnPostgres.create();
    const token = join(directory, 'token');
    writeFileSync(token, 'token-of-the-pod');
    started = startBuilt({
      DATABASE_URL: postgres.url,
      BOOTSTRAP_TOKEN: TOKEN,
      OBJECT_STORAGE_URL: 'http://127.0.0.1:1',
      OBJECT_STORAGE_BUCKET: 'files',
      // Without the keys and the files of whoever runs this.
      HOME: directory,
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_PROFILE: '',
      // What a pod gets whose service account has a role.
      AWS_REGION: 'eu-west-1',
      AWS_ROLE_ARN: ROLE,
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });
  afterAll(async () => {
    started.kill();
    await started.exit;
    await postgres.remove();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    rmSync(directory, { recursive: true });
  });

  it('is used with that role, whose token is in a file', async () => {
    const admin = new Caller(await started.address(), TOKEN);
    const { status, text: address } = await admin.put('/v1/files/one');
    expect([status, address]).toEqual([200, expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/files\//)]);
    const { searchParams: signed } = new URL(address);
    expect(signed.get('X-Amz-Credential')).toMatch(/^key-of-the-role\//);
    expect(signed.get('X-Amz-Security-Token')).toBe('session-of-the-role');
    expect(asked.map((one) => [one.get('Action'), one.get('RoleArn'), one.get('WebIdentityToken')])).toEqual([
      ['AssumeRoleWithWebIdentity', ROLE, 'token-of-the-pod'],
    ]);
  });
});
