import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose';

/** The key set of an identity provider over HTTP. Tests can make it fail. */
export class KeyServer {
  answer: 'keys' | 'error' | 'html' | 'no keys' | 'silence' = 'keys';
  asked = 0;
  private readonly keys: object[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<KeyServer> {
    const server = createServer();
    const keyServer = new KeyServer(server);
    server.on('request', (_request, response) => {
      keyServer.asked++;
      if (keyServer.answer === 'silence') return;
      if (keyServer.answer === 'error') response.statusCode = 500;
      const bodies = { keys: { keys: keyServer.keys }, 'no keys': { keys: 'none' }, error: {}, html: '' };
      response.setHeader('content-type', 'application/json');
      response.end(keyServer.answer === 'html' ? '<html>' : JSON.stringify(bodies[keyServer.answer]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return keyServer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/jwks.json`;
  }

  /** @returns the private key of a new pair; the set contains the public key */
  async add(kid: string, alg: string): Promise<CryptoKey> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    this.keys.push({ ...(await exportJWK(publicKey)), kid, alg });
    return privateKey;
  }

  remove(kid: string): void {
    this.keys.splice(this.keys.indexOf(this.publicKey(kid)), 1);
  }

  publicKey(kid: string): object {
    return this.keys.find((key) => (key as { kid: string }).kid === kid) ?? {};
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
