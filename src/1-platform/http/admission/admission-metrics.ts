import { getToken, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';

export const WORK_UNDER_WAY = getToken('work_under_way');
export const WORK_LIMIT = getToken('work_limit');
export const WORK_REQUESTS = getToken('work_requests_total');

export const admissionMetricProviders = [
  makeGaugeProvider({
    name: 'work_under_way',
    help: 'Requests by class of work, under way or waiting for a place; those that wait for something else are not counted',
    labelNames: ['work', 'state'],
  }),
  makeGaugeProvider({
    name: 'work_limit',
    help: 'Requests of a class of work that may be under way at present',
    labelNames: ['work'],
  }),
  makeCounterProvider({
    name: 'work_requests_total',
    help: 'Requests that were admitted, and those that were refused because too many of their class were under way',
    labelNames: ['work', 'outcome'],
  }),
];
