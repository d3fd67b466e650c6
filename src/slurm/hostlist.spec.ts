import { expandHostlist } from './hostlist';

describe('expandHostlist', () => {
  it.each<[string, string[] | undefined]>([
    ['', []],
    ['m1', ['m1']],
    ['n[1-3,7],m1', ['n1', 'n2', 'n3', 'n7', 'm1']],
    ['gpu-[08-11]', ['gpu-08', 'gpu-09', 'gpu-10', 'gpu-11']],
    ['r[1-2]n[1-2]-x', ['r1n1-x', 'r1n2-x', 'r2n1-x', 'r2n2-x']],
    ['a,b , c[5]', ['a', 'b', 'c5']],
    ['n[1-10]', Array.from({ length: 10 }, (_, index) => `n${index + 1}`)],
    // Eleven, and brackets that are none.
    ['n[1-11]', undefined],
    ['a[1-6],b[1-6]', undefined],
    ['r[1-4]n[1-4]', undefined],
    ['n[1-999999999]', undefined],
    ['n[3-1]', undefined],
    ['n[a-b]', undefined],
    ['n[1-2', undefined],
    ['n1-2]', undefined],
    ['n[[1]]', undefined],
  ])('%s', (text, names) => expect(expandHostlist(text, 10)).toEqual(names));
});
