/**
 * Endpoints that a hostile controller could report. All are refused unless an allow-list opens loopback, and
 * then only the loopback forms are accepted.
 * @param port where a canary listens on loopback: it sees every connection that gets through
 */
export const hostileUrls = (port: number): string[] => [
  ...loopbackForms(port),
  ...ELSEWHERE.map((host) => `http://${host}:${port}/v1`),
  ...notPlain(port),
];

/** Spellings of loopback. */
export const loopbackForms = (port: number, kind?: keyof typeof LOOPBACK_FORMS): string[] =>
  (kind ? LOOPBACK_FORMS[kind] : Object.values(LOOPBACK_FORMS).flat()).map((host) => `http://${host}:${port}/v1`);

const LOOPBACK_FORMS = {
  ipv4: [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '0177.0.0.1',
    '0177.0x0.0.01',
    '0x7f.1',
    '0x7f000001',
    '0X7F.0.0.1',
    '2130706433',
    '017700000001',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '\uff11\uff12\uff17.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
  ],
  ipv6: ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]'],
  names: ['localhost', 'LOCALHOST', 'localhost.', 'loc\u00adalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', '%6cocalhost'],
  otherNames: ['worker.localhost', 'localhost.localdomain', 'ip6-localhost'],
};

/** Never accepted, whatever is listed. */
const ELSEWHERE = [
  // The machine itself
  '0.0.0.0',
  '0',
  '0x0',
  '0.1.2.3',
  '[::]',
  '[::ffff:0.0.0.0]',
  '[::ffff:0:0]',
  // Link-local and metadata
  '169.254.169.254',
  '169.254.169.254.',
  '169.254.43518',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '169.254.170.2',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fe80::1]',
  '[febf::a9fe:a9fe]',
  '[fec0::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
  '[::ffff:100.100.100.200]',
  'metadata.google.internal',
  'metadata.google.internal.',
  'METADATA.goog',
  'metadata',
  'instance-data',
  // IPv4 in disguise
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  // Many, nobody, not given out
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '240.0.0.1',
  '[ff02::1]',
  '[100::1]',
  '[4000::1]',
  // No hosts
  '[fe80::1%25eth0]',
  '[::1%25lo]',
  '127.0.0.1.1',
  '1.2.3.256',
  'a..b',
  'a,b',
  '-',
];

const notPlain = (port: number): string[] => [
  // Another host than the one that is seen first
  `http://user:password@127.0.0.1:${port}/`,
  `http://worker.svc@127.0.0.1:${port}/`,
  `http://worker.svc:8000@127.0.0.1:${port}/`,
  `http://@127.0.0.1:${port}/`,
  `http://:@worker.svc:${port}/`,
  `http://127.0.0.1:${port}\\@worker.svc/`,
  `http://worker.svc\\@127.0.0.1:${port}/`,
  `http:\\\\127.0.0.1:${port}\\`,
  `http://worker.svc#@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#worker.svc`,
  `http://worker.svc/#fragment`,
  // What a parser repairs
  `http:127.0.0.1:${port}/`,
  `http:/127.0.0.1:${port}/`,
  `http:///127.0.0.1:${port}/`,
  `//127.0.0.1:${port}/`,
  ` http://worker.svc:${port}/`,
  `http://worker.svc:${port}/ `,
  `ht\ttp://127.0.0.1:${port}/`,
  `http://127.0\t.0.1:${port}/`,
  `http://127.0.0.1:${port}\n/`,
  `http://worker.svc/\r\nHost: 127.0.0.1:${port}`,
  `http://worker.svc:${port}/a b`,
  `http://worker.svc/\u0001`,
  // No host, no port
  'http://',
  'http://?a',
  'http://:8000/',
  'https:///path',
  'http://worker.svc:0/',
  'http://worker.svc:65536/',
  'http://worker.svc:99999999999/',
  'http://worker.svc:-1/',
  'http://worker.svc:80a/',
  'http://[::1/',
  'http://[1.2.3.4]/',
  // Other schemes
  'file:///etc/passwd',
  `gopher://127.0.0.1:${port}/_GET`,
  `ftp://127.0.0.1:${port}/`,
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'data:text/plain,hello',
  'javascript:alert(1)',
  `ws://127.0.0.1:${port}/`,
  `blob:http://127.0.0.1:${port}/a`,
  `127.0.0.1:${port}`,
  'worker.svc',
  '/v1',
  'x',
];

/** Endpoints that an honest controller reports. */
export const HONEST_URLS = [
  'http://10.0.3.7:8000',
  'http://172.16.0.1:8000/v1',
  'http://192.168.1.20/',
  'https://8.8.8.8/v1?a=b',
  'http://[fd12:3456::7]:8000',
  'https://[2607:f8b0::1]/v1',
  'http://[::ffff:10.0.3.7]:8000',
  'http://worker:8000',
  'http://worker-0.inference.svc.cluster.local.:8000/v1',
  'HTTPS://Worker_0.Example/metrics?format=text',
  'http://bücher.example/',
  'http://128.0.0.1/',
  'http://126.255.255.255/',
  'http://169.253.0.1/',
  'http://localhost.example/',
];
