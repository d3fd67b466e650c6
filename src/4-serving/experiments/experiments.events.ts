/** An experiment was created, or ended; read it to see how. */
export const EXPERIMENT_EVENTS = { created: 'experiment.created', completed: 'experiment.completed' } as const;
