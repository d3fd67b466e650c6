import { numberMissing, someNumber } from './entered';

describe('a field for numbers', () => {
  it('is empty only if nothing stands in it, however the number is written', () => {
    expect(['', 50, '50.', '50.00', '007', '0'].map(someNumber)).toEqual([null, 50, 50, 50, 7, 0]);
  });

  it('keeps what is no number from being sent', () => {
    expect(numberMissing(someNumber('-'))).toContain('Enter numbers');
    expect(numberMissing(null, someNumber('.'))).toContain('Enter numbers');
    expect(numberMissing(null, 0, someNumber('5.'))).toBeUndefined();
  });
});
