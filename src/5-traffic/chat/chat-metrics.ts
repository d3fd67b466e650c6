import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { getToken, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge, Histogram } from 'prom-client';
import { SettlementsService } from '../admissions/settlements.service';
import { HeldChats } from './held-chats';
import { WaitingRoom } from './waiting-room';

const REQUESTS = 'inference_requests';
const FIRST_BYTES = 'inference_first_byte_seconds';

/** What a chat waited for. */
const START_KINDS = ['warm', 'restore', 'cold'] as const;
export type AwaitedKind = (typeof START_KINDS)[number];

export const chatMetricProviders = [
  makeGaugeProvider({
    name: REQUESTS,
    help:
      'Chats in this instance by state: in progress (including those that wait for a worker), waiting, and ' +
      'answered but not yet recorded',
    labelNames: ['state'],
  }),
  makeHistogramProvider({
    name: FIRST_BYTES,
    help: 'Time from a chat to the first byte of its answer, by what it waited for',
    labelNames: ['start_kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  }),
];

/** Metrics of model traffic for the operator of the service. */
@Injectable()
export class ChatMetrics implements OnModuleInit {
  constructor(
    @Inject(getToken(REQUESTS)) private readonly requests: Gauge<'state'>,
    @Inject(getToken(FIRST_BYTES)) private readonly firstBytes: Histogram<'start_kind'>,
    private readonly chats: HeldChats,
    private readonly room: WaitingRoom,
    private readonly settlements: SettlementsService,
  ) {}

  onModuleInit(): void {
    // All series exist from the start: their number does not reveal how the service is used.
    for (const kind of START_KINDS) this.firstBytes.zero({ start_kind: kind });
    Object.assign(this.requests, {
      collect: () => {
        this.requests.set({ state: 'waiting' }, this.room.size);
        this.requests.set({ state: 'under_way' }, this.chats.size);
        this.requests.set({ state: 'unsettled' }, this.settlements.waiting);
      },
    });
  }

  firstByte(startKind: AwaitedKind, milliseconds: number): void {
    this.firstBytes.observe({ start_kind: startKind }, milliseconds / 1_000);
  }
}
