import { Choice } from '../../parts/table/filters';
import { DEFAULT_WINDOW, METRIC_WINDOWS, type Change, type MetricsSearch, type MetricWindow } from './metrics-search';

/** How far back the samples go. Another window has other cells. */
export const WindowChoice = ({ search, change }: { search: Partial<MetricsSearch>; change: Change }) => (
  <Choice
    label="Time"
    all={DEFAULT_WINDOW}
    words={(Object.keys(METRIC_WINDOWS) as MetricWindow[]).filter((one) => one !== DEFAULT_WINDOW)}
    value={search.window === DEFAULT_WINDOW ? undefined : search.window}
    change={(window) => change({ window, at: undefined, row: undefined })}
  />
);
