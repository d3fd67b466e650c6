import { chosenReference, instructionIn, RESTORE_VARIABLES, variablesFor, wantedWorkload } from './restore-instruction';

const instruction = {
  reference: '/store/default/train/1',
  uid: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
  at: '2026-11-23T12:00:00.000Z',
  allowIncompatible: true,
};

describe('The instruction to restore, in the variables of a pod', () => {
  const variables = variablesFor(instruction, 'default/train');
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value]));

  it('is read as it was written', () => {
    expect(instructionIn(env)).toEqual(instruction);
    expect(wantedWorkload(env)).toEqual({ namespace: 'default', name: 'train' });
    expect(variables.map(({ name }) => name).sort()).toEqual([...RESTORE_VARIABLES].sort());
  });

  it('allows what differs only if it says so', () => {
    const { allowIncompatible: _allowed, ...plain } = instruction;
    const names = variablesFor(plain, 'default/train').map(({ name }) => name);
    expect(names).not.toContain('CCP_RESTORE_ALLOW_INCOMPATIBLE');
    for (const value of ['', 'false', '1'])
      expect(instructionIn({ ...env, CCP_RESTORE_ALLOW_INCOMPATIBLE: value })).toEqual(plain);
  });

  it.each(['CCP_RESTORE_REFERENCE', 'CCP_RESTORE_UID', 'CCP_RESTORE_AT'])('is none without %s', (name) => {
    expect(instructionIn({ ...env, [name]: '' })).toBeUndefined();
  });

  it.each(['', 'train', 'a/b/c', '/train'])('names no workload by SVC_CHECKPOINT=%s', (SVC_CHECKPOINT) => {
    expect(wantedWorkload({ SVC_CHECKPOINT })).toBeUndefined();
  });

  it('is followed until the pod has a checkpoint of its own, whatever the clock of its node says', () => {
    expect(chosenReference(instruction, undefined)).toBe(instruction.reference);
    expect(chosenReference(instruction, { reference: 'own' })).toBe('own');
  });
});
