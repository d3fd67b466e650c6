import type { Context } from '../context';
import { kubernetes } from './kubernetes';

describe('The command of the Kubernetes controller', () => {
  it.each(['0', '1.5', '257', 'many', ''])('refuses "%s" as a number of dumps', (dumpsAtOnce) => {
    const options = { cluster: 'c', drain: true, logLevel: 'silent', dumpsAtOnce };
    expect(() => kubernetes({} as Context, options)).toThrow(
      `"${dumpsAtOnce}" is not how many dumps --dumps-at-once may allow: a whole number from 1 to 256.`,
    );
  });
});
