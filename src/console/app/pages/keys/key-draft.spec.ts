import { bodyOf, changesOf, draftOf, expectedOf, missingIn, NEW_KEY } from './key-draft';
import type { InferenceKey } from './keys-api';

const KEY: InferenceKey = {
  key_id: '0199f3c2-6b1f-7a53-9d3c-1f3f8f3f0a11',
  name: 'support',
  models: ['llama-8b', 'bge-small'],
  budget_usd: 25,
  rate_limit_rps: null,
  tenant_id: 'acme',
  created_at: '2026-01-01T00:00:00Z',
  revoked_at: null,
  spent_usd: 1,
  reserved_usd: 0,
  overrun_usd: 0,
};

describe('the changes of a key', () => {
  it('are none as long as the form says what the key has', () => {
    expect(changesOf(KEY, draftOf(KEY))).toEqual({});
    expect(changesOf(KEY, { ...draftOf(KEY), name: ' support ', models: ['bge-small', 'llama-8b'] })).toEqual({});
    const blank = { ...KEY, name: ' support ' };
    expect(changesOf(blank, draftOf(blank))).toEqual({});
  });

  it('are only the members that the user has changed', () => {
    const draft = draftOf(KEY);
    expect(changesOf(KEY, { ...draft, budget: '50.' })).toEqual({ budget_usd: 50 });
    expect(changesOf(KEY, { ...draft, budget: '', rate: 7 })).toEqual({ budget_usd: null, rate_limit_rps: 7 });
    expect(changesOf(KEY, { ...draft, name: 'sales', models: [] })).toEqual({ name: 'sales', models: [] });
  });

  it('expect what those members were, and nothing of the others', () => {
    expect(expectedOf(KEY, {})).toEqual({});
    expect(expectedOf(KEY, { budget_usd: null, rate_limit_rps: 7 })).toEqual({ budget_usd: 25, rate_limit_rps: null });
    expect(expectedOf(KEY, { name: 'sales', models: [] })).toEqual({ name: 'support', models: KEY.models });
  });
});

describe('the form of a key', () => {
  it('makes the body of a new one: an empty limit is none', () => {
    expect(bodyOf({ ...NEW_KEY, name: ' a ' })).toEqual({
      name: 'a',
      models: [],
      budget_usd: null,
      rate_limit_rps: null,
    });
  });

  it('lacks a name, or numbers', () => {
    expect(missingIn(NEW_KEY)).toMatch(/name/);
    expect(missingIn({ ...NEW_KEY, name: 'a', budget: '5 dollars' })).toMatch(/numbers/);
    expect(missingIn({ ...NEW_KEY, name: 'a', budget: 5 })).toBeUndefined();
  });
});
