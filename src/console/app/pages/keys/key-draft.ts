import type { Schemas } from '../../api/client';
import { numberMissing, someNumber, type Entered } from '../../parts/entered';
import type { InferenceKey } from './keys-api';

/** What the form of a key holds. */
export interface KeyDraft {
  readonly name: string;
  readonly models: string[];
  readonly budget: Entered;
  readonly rate: Entered;
}

type Body = Required<Pick<Schemas['CreateInferenceKeyBody'], 'name' | 'models' | 'budget_usd' | 'rate_limit_rps'>>;

export const NEW_KEY: KeyDraft = { name: '', models: [], budget: '', rate: '' };

export const draftOf = ({ name, models, budget_usd, rate_limit_rps }: InferenceKey): KeyDraft => ({
  name,
  models,
  budget: budget_usd ?? '',
  rate: rate_limit_rps ?? '',
});

export const bodyOf = ({ name, models, budget, rate }: KeyDraft): Body => ({
  name: name.trim(),
  models,
  budget_usd: someNumber(budget),
  rate_limit_rps: someNumber(rate),
});

type Changes = Schemas['ChangeableKeyMembers'];

/** The members that the user has changed: the others stay as they are by then. */
export function changesOf(of: InferenceKey, draft: KeyDraft): Changes {
  const body = bodyOf(draft);
  return {
    // A name that nobody has edited stays as it is, with blanks at its ends too.
    ...(body.name === of.name.trim() ? {} : { name: body.name }),
    ...(sameModels(body.models, of.models) ? {} : { models: body.models }),
    ...(body.budget_usd === of.budget_usd ? {} : { budget_usd: body.budget_usd }),
    ...(body.rate_limit_rps === of.rate_limit_rps ? {} : { rate_limit_rps: body.rate_limit_rps }),
  };
}

/** What the changed members were before, so that no change of somebody else is taken back. */
export const expectedOf = (of: InferenceKey, changes: Changes): Changes => ({
  ...('name' in changes && { name: of.name }),
  ...('models' in changes && { models: of.models }),
  ...('budget_usd' in changes && { budget_usd: of.budget_usd }),
  ...('rate_limit_rps' in changes && { rate_limit_rps: of.rate_limit_rps }),
});

const sameModels = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((model) => other.includes(model));

/** What the user must still fill in, or correct. */
export const missingIn = ({ name, budget, rate }: KeyDraft): string | undefined =>
  name.trim() === ''
    ? 'Give the key a name, so that people know whose it is.'
    : numberMissing(someNumber(budget), someNumber(rate));
