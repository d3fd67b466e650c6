import { newOnce } from './once';

const keyOf = (header: { 'Idempotency-Key': string }): string => header['Idempotency-Key'];

describe('keys of the requests of a dialog', () => {
  it('stay the same for the same body, also after another body was sent', () => {
    const once = newOnce();
    const first = keyOf(once({ name: 'a', nodes: ['n1'] }));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(keyOf(once({ name: 'a', nodes: ['n1'] }))).toBe(first);
    const other = keyOf(once({ name: 'b', nodes: ['n1'] }));
    expect(other).not.toBe(first);
    expect(keyOf(once({ name: 'a', nodes: ['n1'] }))).toBe(first);
    expect(keyOf(once({ name: 'b', nodes: ['n1'] }))).toBe(other);
  });

  it('stay the same without a body, and differ when the dialog is opened again', () => {
    const [once, later] = [newOnce(), newOnce()];
    expect(keyOf(once())).toBe(keyOf(once()));
    expect(keyOf(later())).not.toBe(keyOf(once()));
  });
});
