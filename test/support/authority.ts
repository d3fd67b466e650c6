import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../../src/1-platform/database/embedded/embedded-account';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** An authority for certificates of servers, in files below a directory. */
export class Authority {
  /** The file of its own certificate. */
  readonly certificate: string;
  private readonly key: string;

  constructor(
    private readonly directory: string,
    private readonly name: string,
  ) {
    this.certificate = this.file('crt');
    this.key = this.file('key');
    const files = ['-keyout', this.key, '-out', this.certificate];
    this.openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`, ...files);
  }

  /**
   * A certificate, and a key that only the account may read.
   * @param subject such as `IP:127.0.0.1`, or `DNS:localhost`
   */
  issue(subject: string, account: Account | undefined): Issued {
    const [certificate, key] = [this.file('server.crt'), this.file('server.key')];
    const [request, extension] = [this.file('csr'), this.file('ext')];
    writeFileSync(extension, `subjectAltName=${subject}`);
    this.openssl('req', ...NEW_KEY, '-subj', '/CN=server', '-keyout', key, '-out', request);
    const by = ['-CA', this.certificate, '-CAkey', this.key, '-CAcreateserial', '-days', '2', '-extfile', extension];
    this.openssl('x509', '-req', '-in', request, ...by, '-out', certificate);
    chmodSync(key, 0o600);
    if (account) chownSync(key, account.uid, account.gid);
    return { certificate, key };
  }

  get text(): string {
    return readFileSync(this.certificate, 'utf8');
  }

  private file(ending: string): string {
    return join(this.directory, `${this.name}.${ending}`);
  }

  private openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}
