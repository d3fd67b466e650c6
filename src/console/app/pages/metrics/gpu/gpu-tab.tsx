import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../../parts/page';
import { Picture } from '../../../parts/picture';
import { Loaded, NothingYet } from '../../../parts/states';
import { Choice } from '../../../parts/table/filters';
import { heatMapQuery, rowsAtOnce, type AskedMap } from '../metrics-queries';
import { DEFAULT_WINDOW, windowWords, type Change, type MetricsSearch } from '../metrics-search';
import { WindowChoice } from '../window-choice';
import { GpuSeries } from './gpu-series';
import { HeatMapPicture } from './heat-map';
import {
  beginOf,
  binAt,
  exactness,
  keyOf,
  nameOf,
  summaryOf,
  type HeatMap,
  type HeatRow,
  type Layer,
  type Place,
} from './heat-rows';
import { HeatTable, HeldTable } from './heat-tables';
import { Moment } from './moment';
import styles from '../metrics.module.css';

const HOW = `# prometheus.yml, with an access token of a controller in the file "token"
remote_write:
  - url: ${window.location.origin}/v1/metrics/write
    authorization: { credentials_file: token }
    write_relabel_configs:
      - { source_labels: [__name__], regex: 'DCGM_FI_DEV_.*', action: keep }`;

interface GpuTabProps {
  readonly search: Partial<MetricsSearch>;
  readonly change: Change;
  readonly openNode: (node: string | undefined) => void;
}

export function GpuTab({ search, change, openNode }: GpuTabProps) {
  const { node, measure = 'mean', gpu, window = DEFAULT_WINDOW } = search;
  const map = useQuery(heatMapQuery({ window, measure, node, after: Number(search.after ?? 0) }));
  return (
    <>
      <div className={styles.controls}>
        <WindowChoice search={search} change={change} />
        <Choice
          label="Colour"
          all="Utilisation"
          words={{ memory: 'Used memory' }}
          value={search.layer}
          change={(layer) => change({ layer })}
        />
        <Choice
          label="Figure"
          all="Mean"
          words={{ max: 'Highest' }}
          value={search.measure}
          change={(chosen) => change({ measure: chosen })}
        />
        {node !== undefined && (
          <Button size="xs" variant="default" onClick={() => openNode(undefined)}>
            All nodes
          </Button>
        )}
      </div>
      <Loaded query={map} lines={10}>
        {(data) =>
          data.rows.length === 0 ? (
            <Nothing asked={data.asked} change={change} openNode={openNode} />
          ) : (
            <Drawn map={data} search={search} change={change} openNode={openNode} />
          )
        }
      </Loaded>
      {gpu !== undefined && <GpuSeries uuid={gpu} search={search} change={change} />}
      {node !== undefined && map.data && <HeldTable map={map.data} />}
    </>
  );
}

type NothingProps = Pick<GpuTabProps, 'change' | 'openNode'> & Pick<AskedMap, 'asked'>;

function Nothing({ asked, change, openNode }: NothingProps) {
  const { node, after } = asked;
  const title = node === undefined ? 'GPUs by node' : `GPUs of ${node}`;
  if (after > 0)
    return (
      <Section title={title}>
        <NothingYet title="There are fewer rows than that">
          <Button size="xs" variant="default" onClick={() => change({ after: undefined })}>
            Show the first ones
          </Button>
        </NothingYet>
      </Section>
    );
  return (
    <Section title={title}>
      {node === undefined ? (
        <NothingYet title={`No GPU was reported in the ${windowWords(asked)}`} command={HOW}>
          A Prometheus that scrapes dcgm-exporter sends its samples here:
        </NothingYet>
      ) : (
        <NothingYet title={`No GPU of ${node} was reported in the ${windowWords(asked)}`}>
          <Button size="xs" variant="default" onClick={() => openNode(undefined)}>
            Show all nodes
          </Button>
        </NothingYet>
      )}
    </Section>
  );
}

function Drawn({ map, search, change, openNode }: GpuTabProps & { map: AskedMap }) {
  const { node, at, row: chosenRow } = search;
  const { after } = map.asked;
  const layer: Layer = search.layer === 'memory' ? 'memory_used' : 'utilization';
  const rowHeader = (row: HeatRow) => <RowName row={row} search={search} openNode={openNode} change={change} />;
  const chosen = placeOf(map, at, chosenRow);
  const choose = ({ row, bin }: Place) => {
    const of = map.rows[row];
    if (of) change({ at: new Date(beginOf(map, bin)).toISOString(), row: keyOf(of) });
  };
  const title = node === undefined ? 'GPUs by node' : `GPUs of ${node}`;
  const momentNode = node ?? chosenRow ?? '';
  return (
    <>
      <Picture
        title={title}
        summary={summaryOf(map, layer, node, after)}
        isTable={search.show === 'table'}
        show={(table) => change({ show: table ? 'table' : undefined })}
        table={<HeatTable map={map} rowHeader={rowHeader} />}
      >
        <HeatMapPicture
          map={map}
          layer={layer}
          label={`${title}: arrow keys move from cell to cell, Enter shows what ran in it`}
          chosen={chosen}
          choose={choose}
          rowHeader={rowHeader}
        />
        <p className={styles.note}>
          {exactness(map)} {node === undefined && 'A cell of a node is over its GPUs. '}
          <span className={styles.wide}>Choose a cell to see what ran in it.</span>
        </p>
      </Picture>
      <Pages map={map} change={change} />
      {at !== undefined && (
        <Moment
          node={momentNode}
          gpu={node === undefined ? undefined : chosenRow}
          from={Date.parse(at)}
          seconds={map.bin_seconds}
          close={() => {
            focusChosen();
            change({ at: undefined, row: undefined });
          }}
        />
      )}
    </>
  );
}

/** Where the focus came from; the heading of the page if the cell is not drawn. */
const focusChosen = (): void =>
  (
    document.querySelector<HTMLElement>('[role="gridcell"][aria-selected="true"]') ??
    document.querySelector<HTMLElement>('h1')
  )?.focus();

/** The chosen cell, if it is among those that are drawn. */
function placeOf(map: HeatMap, at: string | undefined, key: string | undefined): Place | undefined {
  const row = map.rows.findIndex((one) => keyOf(one) === (key ?? ''));
  const bin = at === undefined ? undefined : binAt(map, Date.parse(at));
  return row === -1 || bin === undefined ? undefined : { row, bin };
}

/** A node leads to its GPUs, a GPU to its samples. */
function RowName({ row, search, openNode, change }: GpuTabProps & { row: HeatRow }) {
  const { gpu_uuid: uuid, node_name: name } = row;
  const { window, measure, layer } = search;
  if (uuid === null && name === '') return <>{nameOf(row)}</>;
  if (uuid === null)
    return (
      <Link
        to="/metrics"
        search={{ window, measure, layer, node: name }}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          openNode(name);
        }}
        title={`GPUs of ${name}`}
      >
        {name}
      </Link>
    );
  return (
    <button
      type="button"
      className={styles.linkLike}
      aria-pressed={search.gpu === uuid}
      title={`Samples of ${uuid}`}
      onClick={() => change({ gpu: search.gpu === uuid ? undefined : uuid })}
    >
      {nameOf(row)}
    </button>
  );
}

function Pages({ map, change }: { map: AskedMap; change: Change }) {
  const { after, node } = map.asked;
  const shown = map.rows.length;
  if (after === 0 && shown >= map.total_rows) return null;
  const goTo = (first: number) => change({ after: first <= 0 ? undefined : String(first) });
  return (
    <div className={styles.pages}>
      <Button size="xs" variant="default" disabled={after === 0} onClick={() => goTo(after - rowsAtOnce(node))}>
        Previous
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={after + shown >= map.total_rows}
        onClick={() => goTo(after + shown)}
      >
        Next
      </Button>
      <span>
        {after + 1} to {after + shown} of {map.total_rows}
      </span>
    </div>
  );
}
