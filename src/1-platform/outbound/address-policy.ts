import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { HOST_NAME, type AllowedEndpoint } from '../config/allowed-endpoint';
import { recentlyUsed } from '../common/work/recently-used';

/** Maximum length of a URL: an endpoint as the API accepts it, plus a path. */
const MAX_URL = 4_096;

/** Verdicts that are remembered, and the longest text that one is remembered of: some 3 MB at the most. */
const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_LENGTH = 256;

// A URL parser is more tolerant than a reader: it drops tabs and an empty `@`, reads `\` as `/` and accepts
// `http:host`. Such texts are refused here; the parser alone decides what the host means.
const PLAIN_URL = /^https?:\/\/[^\s\p{Cc}/?#@\\]+([/?][^\s\p{Cc}\\#]*)?$/iu;

const NOT_PLAIN = 'must be an http or https URL without credentials or fragment';
const NO_HOST = 'must name a host';
const NEVER = 'must not name a link-local, metadata or reserved address';
const LOOPBACK = 'must not name a loopback address';
// The same for unlisted addresses and for the service's own: an answer must not reveal where the database
// listens.
const NOT_OPEN = 'must name a host and port that are open to workers (WORKER_ENDPOINT_ALLOW)';

type Family = 'ipv4' | 'ipv6';

function subnets(family: Family, ...texts: string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix] = text.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const LOOPBACKS = { ipv4: subnets('ipv4', '127.0.0.0/8'), ipv6: subnets('ipv6', '::1/128') };

/** Refused whatever is listed. */
const NEVERS = {
  ipv4: subnets(
    'ipv4',
    '0.0.0.0/8', // unspecified: the machine itself
    '169.254.0.0/16', // link-local; metadata of most clouds
    '192.0.0.0/24', // protocol assignments; metadata of Oracle
    '100.100.100.200/32', // metadata of Alibaba
    '168.63.129.16/32', // the host of an Azure machine
    '224.0.0.0/4', // multicast
    '240.0.0.0/4', // reserved, broadcast
  ),
  ipv6: subnets(
    'ipv6',
    '2001::/32', // Teredo: an IPv4 address in disguise
    '2002::/16', // 6to4: the same
    'fd00:ec2::/32', // metadata of AWS and what is beside it
    'fd20:ce::254/128', // metadata of Google
    'fd00:42::42/128', // metadata of Scaleway
  ),
};

/**
 * All of IPv6 that machines use. Outside of it are the unspecified address, disguised IPv4 (`::/96`,
 * `::ffff:0:0:0/96`, `64:ff9b::/96`, `64:ff9b:1::/48`), link-local, site-local and multicast, and unassigned
 * addresses.
 */
const GIVEN_OUT = subnets('ipv6', '2000::/3', 'fc00::/7');

/**
 * Addresses between a provider and its customers: some clusters use them for pods, so an entry may allow it.
 */
const SHARED = subnets('ipv4', '100.64.0.0/10');

// Names are judged by their addresses when they are connected to. These are refused earlier because they can
// mean nothing else.
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);
const LOOPBACK_NAME = /^(.+\.)?localhost$|^localhost6?(\.localdomain6?)?$|^ip6-(localhost|loopback)$/;

interface Address {
  readonly text: string;
  readonly family: Family;
}

/** An address in its shortest form, with IPv6-mapped IPv4 addresses as IPv4; undefined for anything else. */
function addressOf(text: string): Address | undefined {
  const version = isIP(text);
  if (version === 4) return { text, family: 'ipv4' };
  // An address with a zone belongs to a link; URLs cannot contain it.
  if (version !== 6 || !URL.canParse(`http://[${text}]/`)) return undefined;
  const { hostname } = new URL(`http://[${text}]/`);
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return { text: hostname.slice(1, -1), family: 'ipv6' };
  const [upper, lower] = [parseInt(high, 16), parseInt(low, 16)];
  return { text: [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.'), family: 'ipv4' };
}

const isLoopback = ({ text, family }: Address): boolean => LOOPBACKS[family].check(text, family);

/** Whether an address belongs to this machine. Asks the system each time, because interfaces change. */
const isOwn = (address: Address): boolean =>
  isLoopback(address) ||
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => addressOf(own.address)?.text === address.text),
  );

/** A parsed entry of the allow-list. */
interface Rule {
  /** Whether it lies within loopback: only such an entry allows loopback. */
  readonly loopback: boolean;
  readonly port: number | undefined;
  /** Undefined if it names a network. */
  readonly host: string | undefined;
  names(host: string, address: Address): boolean;
}

function ruleOf(entry: AllowedEndpoint): Rule {
  const { port } = entry;
  if (entry.kind === 'host') {
    const { host } = entry;
    return { loopback: LOOPBACK_NAME.test(host), port, host, names: (name) => name === host };
  }
  const address = addressOf(entry.address);
  if (address === undefined) throw new RangeError('an entry of a network has an address');
  const { text, family } = address;
  // A network of IPv4 addresses that are mapped into IPv6 is one of IPv4, a wider one all of it.
  const mapped = family === 'ipv4' && isIP(entry.address) === 6;
  const prefix = mapped ? Math.max(0, entry.prefix - 96) : entry.prefix;
  const list = subnets(family, `${text}/${prefix}`);
  return {
    loopback: isLoopback(address) && prefix >= (family === 'ipv4' ? 8 : 128),
    port,
    host: undefined,
    names: (_, { text: other, family: of }) => of === family && list.check(other, of),
  };
}

export interface AddressPolicyOptions {
  /** Undefined: private and public addresses are allowed. */
  readonly allow: readonly AllowedEndpoint[] | undefined;
  /** Ports that this process currently listens on. */
  readonly ownPorts: () => readonly number[];
  /** Addresses of the database, and of a pooler in front of it. */
  readonly databases: readonly { readonly host: string; readonly port: number }[];
}

/**
 * Decides where this service may connect to on behalf of others. Controllers report endpoints of workers,
 * which profiles store; without this policy, anybody who can write one could make the service send requests
 * to its own network.
 *
 * A text is checked when it is received (`fault`), and an address when it is connected to (`permits`). Only
 * the latter is a barrier, because a name may resolve differently tomorrow.
 */
export class AddressPolicy {
  private readonly rules: readonly Rule[] | undefined;
  /** By URL; empty if there is no fault. */
  private readonly verdicts = recentlyUsed<string>({ most: MAX_REMEMBERED });

  constructor(private readonly options: AddressPolicyOptions) {
    this.rules = options.allow?.map(ruleOf);
  }

  /**
   * Hot. @returns why a URL is refused, in words that follow the name of a field; undefined if it is allowed
   */
  fault(url: string): string | undefined {
    const known = this.verdicts.get(url);
    if (known !== undefined) return known || undefined;
    const fault = this.judge(url);
    if (url.length <= MAX_REMEMBERED_LENGTH) this.verdicts.set(url, fault ?? '');
    return fault;
  }

  /**
   * @param host as in a URL: a name, or the address itself
   * @param address what the name resolved to, or what a socket is connected to
   */
  permits(host: string, address: string, port: number): boolean {
    const plain = addressOf(address);
    return plain !== undefined && this.addressFault(nameOf(host), plain, port) === undefined;
  }

  private judge(url: string): string | undefined {
    if (url.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
    if (!PLAIN_URL.test(url) || !URL.canParse(url)) return NOT_PLAIN;
    const { protocol, hostname, port: digits } = new URL(url);
    const port = digits === '' ? (protocol === 'https:' ? 443 : 80) : Number(digits);
    if (port === 0) return 'must not name port 0';
    const host = nameOf(hostname);
    const address = addressOf(host);
    return address ? this.addressFault(host, address, port) : this.nameFault(host, port);
  }

  private nameFault(name: string, port: number): string | undefined {
    const { rules } = this;
    const { databases } = this.options;
    if (!HOST_NAME.test(name)) return NO_HOST;
    if (METADATA_NAMES.has(name)) return NEVER;
    // It may resolve to any of the networks.
    const mayBe = (rule: Rule): boolean =>
      (rule.host === undefined || rule.host === name) && (rule.port === undefined || rule.port === port);
    if (LOOPBACK_NAME.test(name)) return rules?.some((rule) => rule.loopback && mayBe(rule)) ? undefined : LOOPBACK;
    if (databases.some((database) => nameOf(database.host) === name && database.port === port)) return NOT_OPEN;
    return rules === undefined || rules.some(mayBe) ? undefined : NOT_OPEN;
  }

  private addressFault(host: string, address: Address, port: number): string | undefined {
    const { text, family } = address;
    const loopback = isLoopback(address);
    const named = this.rules?.some(
      (rule) =>
        (rule.port === undefined || rule.port === port) && (!loopback || rule.loopback) && rule.names(host, address),
    );
    if (loopback && !named) return LOOPBACK;
    if (NEVERS[family].check(text, family)) return NEVER;
    if (family === 'ipv6' && !loopback && !GIVEN_OUT.check(text, family)) return NEVER;
    if (!(named ?? !(family === 'ipv4' && SHARED.check(text, family)))) return NOT_OPEN;
    return this.isOurs(address, port) ? NOT_OPEN : undefined;
  }

  /** Whether the service itself or its database listens there. */
  private isOurs(address: Address, port: number): boolean {
    const { ownPorts, databases } = this.options;
    if (ownPorts().includes(port) && isOwn(address)) return true;
    return databases.some((database) => {
      if (database.port !== port) return false;
      const host = nameOf(database.host);
      const known = addressOf(host) ?? (LOOPBACK_NAME.test(host) ? addressOf('127.0.0.1') : undefined);
      // The driver resolves the name, so its port is closed on every address.
      return known === undefined || known.text === address.text || (isOwn(known) && isOwn(address));
    });
  }
}

/** A host in a URL's notation, without the brackets of an address and the dot of a fully qualified name. */
const nameOf = (host: string): string =>
  host.startsWith('[') ? host.slice(1, -1) : host.toLowerCase().replace(/\.$/, '');
