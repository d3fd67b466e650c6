import { oneOf, searchOf, someText } from '../../parts/search';

export const TABS = ['gpu', 'pods', 'nodes'] as const;
export type Tab = (typeof TABS)[number];

/** Windows of samples, in hours. */
export const METRIC_WINDOWS = { '1h': 1, '6h': 6, '24h': 24, '7d': 168 } as const;
export type MetricWindow = keyof typeof METRIC_WINDOWS;
export const DEFAULT_WINDOW: MetricWindow = '1h';

const FIRST = /^[1-9]\d{0,6}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/;
const matching =
  (pattern: RegExp) =>
  (value: unknown): string | undefined => {
    const text = someText(value);
    return text !== undefined && pattern.test(text) ? text : undefined;
  };
const someTime = (value: unknown): string | undefined => {
  const text = matching(TIME)(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
};

export const metricsSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  window: oneOf(Object.keys(METRIC_WINDOWS) as MetricWindow[])(raw.window),
  show: oneOf(['table'])(raw.show),
  /** What a cell of the heat map stands for; without it, the mean of the utilisation. */
  measure: oneOf(['max'])(raw.measure),
  layer: oneOf(['memory'])(raw.layer),
  /** The rows are the GPUs of this node. */
  node: someText(raw.node),
  /** The first row that is shown is the one behind these. */
  after: matching(FIRST)(raw.after),
  /** The chosen cell: its beginning, and its node or GPU; without one, the node without a name. */
  at: someTime(raw.at),
  row: someText(raw.row),
  /** The samples of a GPU or a pod as a table. */
  samples: oneOf(['table'])(raw.samples),
  /** The GPU whose samples are drawn. */
  gpu: someText(raw.gpu),
  /** A part of the names of the listed nodes. */
  name: someText(raw.name),
  by: oneOf(['memory'])(raw.by),
  /** The pod whose samples are drawn. */
  pod: someText(raw.pod),
}));

export type MetricsSearch = ReturnType<typeof metricsSearch>;

/** Changes the address; what is not named stays. */
export type Change = (part: Partial<MetricsSearch>) => void;

export const hoursOf = ({ window = DEFAULT_WINDOW }: Partial<MetricsSearch>): number => METRIC_WINDOWS[window];

const WORDS: Readonly<Record<MetricWindow, string>> = {
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
};
export const windowWords = ({ window = DEFAULT_WINDOW }: Pick<Partial<MetricsSearch>, 'window'>): string =>
  WORDS[window];
