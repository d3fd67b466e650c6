/** Told of an experiment, which is read again to see how it ended. */
export const EXPERIMENT_EVENTS = { created: 'experiment.created', completed: 'experiment.completed' } as const;
