import { activationReport } from './activation.cases';
import { AGENT_CASES } from './agent/agent.cases';
import { authorize } from './authorize.cases';
import type { BenchCase } from './bench';
import { chat } from './chat.cases';
import { growth } from './growth.cases';
import { ingest } from './ingest.cases';
import { podList, policyList } from './lists.cases';
import { summaryOfQuarter, summaryOfWeek } from './operations.cases';
import { outboxDelivery } from './outbox.cases';
import { replicas } from './replicas.cases';
import { reports } from './reports.cases';
import { routeStatus } from './routes.cases';
import { samples } from './samples.cases';
import { firstPaint } from './start/first-paint.cases';
import { freshStart } from './start/fresh.cases';
import { start } from './start/start.cases';
import { stream } from './stream.cases';
import { podSync, slurmSync } from './sync.cases';
import { unitCosts } from './unit-costs.cases';

/** All cases, in the order in which they run and the page shows them. */
export const CASES: readonly BenchCase[] = [
  podSync,
  slurmSync,
  activationReport,
  routeStatus,
  authorize,
  chat,
  stream,
  outboxDelivery,
  ingest,
  policyList,
  podList,
  growth,
  reports,
  summaryOfWeek,
  summaryOfQuarter,
  samples,
  unitCosts,
  replicas,
  start,
  firstPaint,
  ...AGENT_CASES,
  freshStart,
];

export const NAMES: readonly string[] = CASES.map(({ name }) => name);
