import { parseJson } from '../../1-platform/common/json/json';
import { maximumOf } from './fleet-budgets';

const maximum = (budgets: string): string | null => maximumOf(parseJson(budgets));
const named = (amount: string): string | null => maximum(`{"max_node_usd_per_hour":${amount}}`);

describe('the hourly budget of a fleet', () => {
  it.each([
    ['12.5', '12.500000000000'],
    ['0', '0.000000000000'],
    ['-0', '0.000000000000'],
    ['1e3', '1000.000000000000'],
    ['0.000000000001', '0.000000000001'],
    ['999999999999', '999999999999.000000000000'],
    // More digits than a double has.
    ['123456789012.123456789012', '123456789012.123456789012'],
  ])('is the number in its budgets: %s', (amount, usd) => {
    expect(named(amount)).toBe(usd);
  });

  it.each(['-1', '-0.001', '1e12', '1e999999', '-1e999999', 'null', '"12.5"', 'true', '[12.5]', '{"usd":12.5}'])(
    'is unlimited for an invalid amount: %s',
    (amount) => {
      expect(named(amount)).toBeNull();
    },
  );

  it.each(['null', '{}', '[]', '12.5', '"max_node_usd_per_hour"', '1e999999', '{"node_usd":1}'])(
    'is unlimited with other budgets only: %s',
    (budgets) => {
      expect(maximum(budgets)).toBeNull();
    },
  );
});
