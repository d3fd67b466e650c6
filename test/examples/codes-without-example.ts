/** Statuses that the interface has and the service never answers. */
export const STATUSES_WITHOUT_EXAMPLE: ReadonlySet<string> = new Set(['write_metrics 429', 'export_otlp_metrics 429']);

/** Codes of docs/decisions.md without an example in the description, and why. */
export const CODES_WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  // The description has no operation that answers them.
  not_found: 'Is the answer to a path that is no operation.',
  expectation_failed: 'Is the answer to an Expect header, before any operation.',
  object_not_found: 'Belongs to the addresses of files, which are no operations.',
  precondition_failed: 'Belongs to the addresses of files, which are no operations.',
  range_not_satisfiable: 'Belongs to the addresses of files, which are no operations.',
  signature_expired: 'Belongs to the addresses of files, which are no operations.',
  signature_invalid: 'Belongs to the addresses of files, which are no operations.',
  asset_not_found: 'Belongs to the console, which is no operation.',
  console_not_built: 'Belongs to the console, which is no operation.',

  // They need an overload, or a dependency that is down.
  body_memory_exhausted: 'Needs more large bodies at once than the process holds.',
  overloaded: 'Needs more requests than the process takes.',
  yaml_busy: 'Needs more YAML at once than the process reads.',
  usage_backlog: 'Needs more reports of usage than are settled.',
  idempotent_request_busy: 'Needs more repetitions of requests under way than wait at once.',
  authorization_busy: 'Two requests renew one expired authorization at the same moment.',
  authorization_lost: 'Needs a clock of the database that is set forward while a request waits.',
  activation_busy: 'Needs many reports on one activation.',
  report_too_long: 'Needs a database that computes a report slowly.',
  database_busy: 'Needs a lock that another transaction holds for seconds.',
  database_unavailable: 'Needs a database that is down.',
  worker_timeout: 'Needs a worker that sends nothing for at least a second of configured time.',
  draining: 'Is the answer of a replica that stops, over a connection that is still open.',

  // Only a race of two requests gets them.
  already_exists: 'Two requests create the same row at the same moment.',
  reference_conflict: 'A request deletes a row while another one refers to it.',
  instance_not_asked: 'Somebody deletes the instance between two steps of the request that creates it.',
};
