import { isIsolatedNetwork, networkWishOf, planToLaunch, planToRestore, type IsolatedNetwork } from './network-plan';

const wish = networkWishOf;
const served: IsolatedNetwork = { mode: 'isolated', port: 9000 };
const hidden: IsolatedNetwork = { mode: 'isolated', port: null };

describe('The options of a network', () => {
  it.each([
    ['no option', undefined, undefined, undefined],
    ['host', 'host', undefined, undefined],
    ['isolated', 'isolated', undefined, { publish: undefined }],
    ['isolated and both ports', 'isolated', '80:8080', { publish: { hostPort: 80, port: 8080 } }],
    ['a published port alone', undefined, '0:8080', { publish: { hostPort: 0, port: 8080 } }],
    ['a port of the host alone', undefined, '8080', { publish: { hostPort: 8080, port: 8000 } }],
  ])('lead to a launch: %s', (_, mode, publish, plan) => {
    expect(planToLaunch(wish(mode, publish))).toEqual(plan);
  });

  it.each([
    ['without options, as it was, at a free port', undefined, undefined, served, { hostPort: 0, port: 9000 }],
    ['with the port of the host', undefined, '8080', served, { hostPort: 8080, port: 9000 }],
    ['with another port', 'isolated', '0:8001', served, { hostPort: 0, port: 8001 }],
    ['isolated, as it was', 'isolated', undefined, served, { hostPort: 0, port: 9000 }],
    ['not published, as it was', undefined, undefined, hidden, undefined],
    ['published for the first time', undefined, '0:8001', hidden, { hostPort: 0, port: 8001 }],
  ])('lead to a restore: %s', (_, mode, publish, checkpoint, expected) => {
    expect(planToRestore(wish(mode, publish), checkpoint)).toEqual({ publish: expected });
  });

  it.each([
    [undefined, undefined],
    ['host', undefined],
  ])('leave a checkpoint of the network of the host there: %s', (mode, publish) => {
    expect(planToRestore(wish(mode, publish), undefined)).toBeUndefined();
  });

  it.each([
    ['isolated', undefined],
    [undefined, '0:8000'],
  ])('do not isolate a checkpoint of the network of the host: %s %s', (mode, publish) => {
    expect(() => planToRestore(wish(mode, publish), undefined)).toThrow('cannot get a network of its own');
  });

  it('do not bring an isolated checkpoint into the network of the host', () => {
    expect(() => planToRestore(wish('host', undefined), served)).toThrow('cannot use the network of the host');
  });

  it('must name the port of a checkpoint that has none', () => {
    expect(() => planToRestore(wish(undefined, '0'), hidden)).toThrow('names no port');
  });

  it.each([
    ['bridge', undefined],
    ['', undefined],
    ['host', '80:80'],
    ['isolated', ''],
    ['isolated', '80:'],
    ['isolated', ':80'],
    ['isolated', '-1:80'],
    ['isolated', '65536:80'],
    ['isolated', '80:65536'],
    ['isolated', '127.0.0.1:80:80'],
  ])('are refused where they make no sense: %s %s', (mode, publish) => {
    expect(() => wish(mode, publish)).toThrow(
      expect.objectContaining({ facts: { cause: 'invalid_setting', message: expect.any(String) } }),
    );
  });
});

it('publishes at IP addresses only, because a name may have several', () => {
  expect(wish(undefined, '0', '10.0.0.7').address).toBe('10.0.0.7');
  expect(wish(undefined, '0', '::1').address).toBe('::1');
  for (const address of ['', 'node-1', '10.0.0.7:80', '10.0.0'])
    expect(() => wish(undefined, '0', address)).toThrow('is not an IP address');
});

it.each([
  [null],
  ['isolated'],
  [{}],
  [{ mode: 'host', port: 1 }],
  [{ mode: 'isolated' }],
  [{ mode: 'isolated', port: 0 }],
  [{ mode: 'isolated', port: 65_536 }],
  [{ mode: 'isolated', port: 1.5 }],
  [{ mode: 'isolated', port: '1' }],
])('A manifest cannot note %j as a network', (value) => {
  expect(isIsolatedNetwork(value)).toBe(false);
});
