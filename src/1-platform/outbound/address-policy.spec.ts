import { networkInterfaces } from 'node:os';
import { HONEST_URLS, hostileUrls, loopbackForms } from '../../../test/support/hostile-urls';
import { allowedEndpoint } from '../config/allowed-endpoint';
import { AddressPolicy, type AddressPolicyOptions } from './address-policy';

/** @param entries as the variable lists them; none: the variable is not set */
function policy(entries: string[] = [], options: Partial<AddressPolicyOptions> = {}): AddressPolicy {
  const allow = entries.map((entry) => {
    const parsed = allowedEndpoint(entry);
    if (!parsed) throw new Error(`no entry: ${entry}`);
    return parsed;
  });
  return new AddressPolicy({
    allow: entries.length === 0 ? undefined : allow,
    ownPorts: () => [3000],
    databases: [{ host: '127.0.0.1', port: 5432 }],
    ...options,
  });
}

const opens = (entries: string[], url: string): boolean => policy(entries).fault(url) === undefined;

const EVERYTHING = ['0.0.0.0/0', '::/0'];

describe('an endpoint of a worker', () => {
  describe('without a list', () => {
    it('has enough examples', () => {
      expect(new Set(hostileUrls(8000)).size).toBe(hostileUrls(8000).length);
      expect(hostileUrls(8000).length).toBeGreaterThan(100);
    });

    it.each(hostileUrls(8000))('may not be %j', (url) => {
      expect(policy().fault(url)).toMatch(/^must /);
    });

    it.each(HONEST_URLS)('may be %j', (url) => {
      expect(policy().fault(url)).toBeUndefined();
    });

    it('may not be an address between a provider and its customers', () => {
      expect(opens([], 'http://100.64.0.1/')).toBe(false);
      expect(opens([], 'http://100.127.255.255/')).toBe(false);
      expect(opens([], 'http://100.128.0.1/')).toBe(true);
    });

    it('has at most 4,096 characters', () => {
      const url = (length: number) => 'http://worker/'.padEnd(length, 'a');
      expect(policy().fault(url(4_096))).toBeUndefined();
      expect(policy().fault(url(4_097))).toBe('must have at most 4096 characters');
    });
  });

  it.each([
    ['http://user@worker/', 'must be an http or https URL without credentials or fragment'],
    ['http://worker:0/', 'must not name port 0'],
    ['http://a..b/', 'must name a host'],
    ['http://127.0.0.1/', 'must not name a loopback address'],
    ['http://localhost./', 'must not name a loopback address'],
    ['http://169.254.169.254/', 'must not name a link-local, metadata or reserved address'],
    ['http://[64:ff9b::1]/', 'must not name a link-local, metadata or reserved address'],
    ['http://100.64.0.1/', 'must name a host and port that are open to workers (WORKER_ENDPOINT_ALLOW)'],
  ])('is refused at %s with a reason: %s', (url, words) => {
    expect(policy().fault(url)).toBe(words);
  });

  describe('with a list', () => {
    it('may be what the list names', () => {
      const entries = ['10.0.0.0/8', '192.168.1.7', '192.168.1.8:8000', 'fd12::/16', '[fd34::1]:8000', '2607:f8b0::1'];
      for (const url of [
        'http://10.255.255.255/',
        'http://[::ffff:10.0.0.1]/',
        'http://192.168.1.7:1234/',
        'http://192.168.1.8:8000/v1',
        'http://[fd12:ffff::1]/',
        'https://[fd34::1]:8000/',
        'http://[2607:f8b0:0::0:1]/',
      ])
        expect([url, policy(entries).fault(url)]).toEqual([url, undefined]);
      for (const url of [
        'http://11.0.0.1/',
        'http://8.8.8.8/',
        'http://192.168.1.8/',
        'http://192.168.1.8:8001/',
        'http://192.168.1.9/',
        'http://[fd13::1]/',
        'http://[fd34::1]/',
        'http://[2607:f8b0::2]/',
      ])
        expect([url, policy(entries).fault(url)]).toEqual([url, expect.stringContaining('WORKER_ENDPOINT_ALLOW')]);
    });

    it('is not allowed by entries for the other kind of addresses', () => {
      expect(opens(['0.0.0.0/0'], 'http://8.8.8.8/')).toBe(true);
      expect(opens(['0.0.0.0/0'], 'http://[2607::1]/')).toBe(false);
      expect(opens(['::/0'], 'http://[2607::1]/')).toBe(true);
      expect(opens(['::/0'], 'http://8.8.8.8/')).toBe(false);
      expect(opens(['::ffff:10.0.0.0/104'], 'http://10.1.2.3/')).toBe(true);
      expect(opens(['::ffff:10.0.0.0/104'], 'http://11.1.2.3/')).toBe(false);
    });

    it('is never allowed by an empty list', () => {
      const none = policy([], { allow: [] });
      for (const url of HONEST_URLS) expect(none.fault(url)).toBeDefined();
    });

    it('may be allowed between a provider and its customers, except for metadata', () => {
      expect(opens(['100.64.0.0/10'], 'http://100.64.0.1/')).toBe(true);
      expect(opens(['100.64.0.0/10'], 'http://100.100.100.200/')).toBe(false);
    });

    it("is allowed by a host's name in any spelling", () => {
      const entries = ['Worker.SVC.', 'bücher.example:8000'];
      expect(opens(entries, 'http://worker.svc:1234/')).toBe(true);
      expect(opens(entries, 'http://WORKER.svc.:1234/')).toBe(true);
      expect(opens(entries, 'http://xn--bcher-kva.example:8000/')).toBe(true);
      expect(opens(entries, 'http://xn--bcher-kva.example/')).toBe(false);
      expect(opens(entries, 'http://other.svc/')).toBe(false);
      expect(opens(entries, 'http://a.worker.svc/')).toBe(false);
      expect(opens(entries, 'http://10.0.0.1/')).toBe(false);
    });

    it('permits an unlisted name if its addresses are in the list', () => {
      const listed = policy(['10.0.0.0/8', '192.168.0.1:8000']);
      expect(listed.fault('http://worker.svc/')).toBeUndefined();
      expect(listed.permits('worker.svc', '10.0.0.1', 80)).toBe(true);
      expect(listed.permits('worker.svc', '11.0.0.1', 80)).toBe(false);
      expect(policy(['192.168.0.1:8000']).fault('http://worker.svc:8000/')).toBeUndefined();
      expect(policy(['192.168.0.1:8000']).fault('http://worker.svc:8001/')).toBeDefined();
    });

    it('lets a listed name resolve to any address except those that no name allows', () => {
      const listed = policy(['worker.svc:8000']);
      for (const address of ['10.0.0.1', '8.8.8.8', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1'])
        expect([address, listed.permits('worker.svc', address, 8000)]).toEqual([address, true]);
      for (const address of [
        '127.0.0.1',
        '::1',
        '::ffff:127.0.0.1',
        '169.254.169.254',
        'fe80::1',
        '0.0.0.0',
        '64:ff9b::1',
      ])
        expect([address, listed.permits('worker.svc', address, 8000)]).toEqual([address, false]);
      expect(listed.permits('worker.svc', '10.0.0.1', 8001)).toBe(false);
      expect(listed.permits('10.0.0.1', '10.0.0.1', 8000)).toBe(false);
    });

    it.each(hostileUrls(8000))('may not be %j even if everything is listed', (url) => {
      expect(
        policy([...EVERYTHING, '169.254.0.0/16', 'fe80::/10', '64:ff9b::/96', 'metadata']).fault(url),
      ).toBeDefined();
    });

    it.each<[string, Parameters<typeof loopbackForms>[1], string]>([
      ['127.0.0.1:8000', 'ipv4', 'http://127.0.0.1:8000/'],
      ['127.0.0.0/8', 'ipv4', 'http://127.1.2.3/'],
      ['::ffff:127.0.0.0/104', 'ipv4', 'http://127.1.2.3/'],
      ['::1', 'ipv6', 'http://[::1]/'],
      ['[::1]:8000', 'ipv6', 'http://[::1]:8000/'],
      ['localhost', 'names', 'http://localhost/'],
      ['LocalHost.:8000', 'names', 'http://localhost:8000/'],
    ])('opens loopback by %s, an entry within it, to %s', (entry, kind, url) => {
      const listed = policy([entry]);
      expect(listed.fault(url)).toBeUndefined();
      for (const form of loopbackForms(8000, kind).filter((text) => entry.includes('/') || !text.includes('255')))
        expect([form, listed.fault(form)]).toEqual([form, undefined]);
      for (const other of (['ipv4', 'ipv6'] as const).filter((name) => name !== kind))
        for (const form of loopbackForms(8000, other))
          expect([form, listed.fault(form)]).toEqual([form, 'must not name a loopback address']);
    });

    it.each(['0.0.0.0/0', '::/0', '127.0.0.0/7', '0.0.0.0/1', '::/127', 'worker.svc', '10.0.0.0/8'])(
      'does not open loopback by %s',
      (entry) => {
        const listed = policy([entry]);
        for (const form of loopbackForms(8000)) expect([form, listed.fault(form)]).toEqual([form, expect.any(String)]);
        for (const address of ['127.0.0.1', '::1', '::ffff:7f00:1'])
          for (const host of ['localhost', 'worker.svc', address])
            expect([host, listed.permits(host, address, 8000)]).toEqual([host, false]);
      },
    );

    it('allows loopback to a name by a listed address, and to no address by a listed name', () => {
      expect(policy(['127.0.0.1']).permits('localhost', '127.0.0.1', 80)).toBe(true);
      expect(policy(['127.0.0.1']).permits('localhost', '::1', 80)).toBe(false);
      expect(policy(['localhost']).permits('localhost', '::1', 80)).toBe(true);
      expect(policy(['localhost']).permits('127.0.0.1', '127.0.0.1', 80)).toBe(false);
      expect(policy(['localhost']).permits('elsewhere', '127.0.0.1', 80)).toBe(false);
      expect(policy(['127.0.0.1:8000']).fault('http://localhost:8001/')).toBeDefined();
    });
  });

  describe('may not be the service itself or its database', () => {
    const loopback = ['127.0.0.0/8', '::1', '0.0.0.0/0', '::/0', 'localhost'];
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
    const addresses = ['127.0.0.1', '127.9.9.9', '::1', ...(own ? [own] : [])];

    it.each(addresses)('refuses the service itself and its database as a worker at %s', (address) => {
      const listed = policy(loopback);
      for (const port of [3000, 5432]) expect([port, listed.permits(address, address, port)]).toEqual([port, false]);
      expect(listed.permits(address, address, 3001)).toBe(true);
    });

    it('refuses the service itself as a worker at the port that it really listens on', () => {
      let port = 0;
      const listed = policy(loopback, { ownPorts: () => [port] });
      expect(listed.permits('localhost', '127.0.0.1', 4321)).toBe(true);
      port = 4321;
      expect(listed.permits('localhost', '127.0.0.1', 4321)).toBe(false);
      expect(listed.permits('10.99.99.99', '10.99.99.99', 4321)).toBe(true);
    });

    it.each([
      ['10.0.0.5', '10.0.0.5', true],
      ['10.0.0.5', '::ffff:10.0.0.5', true],
      ['10.0.0.5', '10.0.0.6', false],
      ['10.0.0.5', '127.0.0.1', false],
      ['[fd12::5]', 'fd12:0::5', true],
      ['localhost', '::1', true],
      ['localhost', '10.0.0.5', false],
      // Where it leads is not known here.
      ['db.example', '10.0.0.5', true],
      ['db.example', '127.0.0.1', true],
    ])('treats an address as that of the database at %s: %s, refused: %s', (host, address, closed) => {
      const listed = policy(loopback, { databases: [{ host, port: 5432 }] });
      expect(listed.permits('worker', address, 5432)).toBe(!closed);
      expect(listed.permits('worker', address, 5433)).toBe(true);
    });

    it('refuses the database as a worker by its name too', () => {
      const named = policy([], { databases: [{ host: 'DB.example.', port: 5432 }] });
      expect(named.fault('http://db.example:5432/')).toBeDefined();
      expect(named.fault('http://db.example:8000/')).toBeUndefined();
    });
  });

  it('refuses an endpoint without a valid address like one that is not permitted', () => {
    for (const address of ['', 'worker', '127.0.0.1:80', '10.0.0', 'fe80::1%eth0', 'fd12::1%eth0', '0x0a000001'])
      expect([address, policy().permits('worker', address, 80)]).toEqual([address, false]);
  });

  it('is cached for a limited number of URLs only', () => {
    const judge = policy();
    const verdicts = (judge as unknown as { verdicts: Map<string, unknown> }).verdicts;
    for (let n = 0; n < 10_100; n++) judge.fault(`http://worker-${n}/`);
    expect(verdicts.size).toBe(10_000);
    const long = 'http://worker/'.padEnd(300, 'a');
    expect([judge.fault(long), verdicts.has(long)]).toEqual([undefined, false]);
    expect(judge.fault('http://127.0.0.1/')).toBe(judge.fault('http://127.0.0.1/'));
    expect(judge.fault('http://worker-1/')).toBeUndefined();
  });
});

describe('an entry of the list', () => {
  it.each([
    ['10.0.0.0/8', { kind: 'network', address: '10.0.0.0', prefix: 8 }],
    ['0.0.0.0/0', { kind: 'network', address: '0.0.0.0', prefix: 0 }],
    ['10.0.0.7', { kind: 'network', address: '10.0.0.7', prefix: 32 }],
    ['10.0.0.7:8000', { kind: 'network', address: '10.0.0.7', prefix: 32, port: 8000 }],
    ['fd12::/16', { kind: 'network', address: 'fd12::', prefix: 16 }],
    ['::1', { kind: 'network', address: '::1', prefix: 128 }],
    ['[::1]', { kind: 'network', address: '::1', prefix: 128 }],
    ['[fd12::7]:8000', { kind: 'network', address: 'fd12::7', prefix: 128, port: 8000 }],
    ['Worker.SVC', { kind: 'host', host: 'worker.svc' }],
    ['worker_0.svc.:65535', { kind: 'host', host: 'worker_0.svc', port: 65_535 }],
    ['bücher.example', { kind: 'host', host: 'xn--bcher-kva.example' }],
  ])('is read from %s', (text, entry) => {
    expect(allowedEndpoint(text)).toEqual(entry);
  });

  it.each([
    '',
    ' ',
    '*',
    '*.svc',
    '10.0.0.0/33',
    'fd12::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8:80',
    '10.0.0',
    '10.0.0.256',
    '127.1',
    '0x7f000001',
    '2130706433',
    'fe80::1%eth0',
    '[fe80::1%eth0]:80',
    '[10.0.0.1]:80',
    '[worker]:80',
    'worker:0',
    'worker:65536',
    'worker:',
    ':80',
    'worker:80:80',
    'http://worker',
    'worker/path',
    'user@worker',
    'a b',
    'a..b',
    'worker?',
    'worker#',
    'a'.repeat(64),
  ])('is not read from %j', (text) => {
    expect(allowedEndpoint(text)).toBeUndefined();
  });
});
