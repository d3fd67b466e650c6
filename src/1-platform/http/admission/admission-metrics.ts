import { getToken, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';

export const WORK_UNDER_WAY = getToken('work_under_way');
export const WORK_LIMIT = getToken('work_limit');
export const WORK_REQUESTS = getToken('work_requests_total');

export const admissionMetricProviders = [
  makeGaugeProvider({
    name: 'work_under_way',
    help: 'Requests by class of work, in progress or waiting for a place; requests that wait for something else are not counted',
    labelNames: ['work', 'state'],
  }),
  makeGaugeProvider({
    name: 'work_limit',
    help: 'Current limit of requests in progress, by class of work',
    labelNames: ['work'],
  }),
  makeCounterProvider({
    name: 'work_requests_total',
    help: 'Admitted requests, and requests refused because too many of their class were in progress',
    labelNames: ['work', 'outcome'],
  }),
];
