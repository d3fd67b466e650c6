import { PlacesBeside } from './places-beside';

const LIMIT = 64;

/** @returns how many of them get a place */
const enterMany = (places: PlacesBeside, count: number, orgId: string): number =>
  Array.from({ length: count }, (_, n) => places.enter({ bearer: `${orgId} ${n}`, orgId }, LIMIT)).filter(Boolean)
    .length;

describe('places beside the limit of a class', () => {
  it('are a quarter of its limit, and one organisation gets at most three quarters of them', () => {
    const places = new PlacesBeside();
    expect(enterMany(places, 100, 'large')).toBe(12);
    expect(enterMany(places, 100, 'small')).toBe(4);
    expect(places.held).toBe(16);
  });

  it('are free again for the same organisation, one for each that is left', () => {
    const places = new PlacesBeside();
    enterMany(places, 12, 'one');
    places.leave({ bearer: 'one 0', orgId: 'one' });
    expect(places.held).toBe(11);
    expect(places.enter({ bearer: 'another', orgId: 'one' }, LIMIT)).toBe(true);
    expect(places.enter({ bearer: 'too many', orgId: 'one' }, LIMIT)).toBe(false);
  });

  it('are for one request of a sender at a time', () => {
    const places = new PlacesBeside();
    const sender = { bearer: 'one', orgId: 'one' };
    expect(places.enter(sender, LIMIT)).toBe(true);
    expect(places.enter(sender, LIMIT)).toBe(false);
    places.leave(sender);
    expect(places).toMatchObject({ held: 0 });
    expect(places.enter(sender, LIMIT)).toBe(true);
  });

  it('are none beside a limit of three, and one beside a limit of four, for any organisation', () => {
    const places = new PlacesBeside();
    const sender = { bearer: 'one', orgId: 'one' };
    expect(places.enter(sender, 3)).toBe(false);
    expect(places.enter(sender, 4)).toBe(true);
    expect(places.enter({ bearer: 'two', orgId: 'two' }, 7)).toBe(false);
  });
});
