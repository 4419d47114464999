/** A small plot over time, as a line or stacked bars, with its numbers as a table. Times are in UTC. */
import { useLayoutEffect, useRef, useState, type ReactElement } from 'react';
import {
  placeOn,
  tableOf,
  timeScale,
  timeText,
  valueScale,
  type PlotPoint,
  type Scale,
} from './plot-scale.ts';
import './plot.css';

export interface PlotSeries {
  readonly name: string;
  readonly tone: 'accent' | 'good' | 'warn' | 'bad' | 'dim';
  readonly points: readonly PlotPoint[];
}

export interface PlotProps {
  readonly title: string;
  /** With points; a line has one series. */
  readonly series: readonly PlotSeries[];
  /** Bars of one time are stacked; their values are not negative. */
  readonly isBars: boolean;
}

type Row = ReturnType<typeof tableOf>[number];

const HEIGHT = 120;
const TOP = 8;
const BOTTOM = HEIGHT - 20;
const CHAR_PX = 6.6;
const ROWS_IN_TABLE = 200;

/** Draws the series. The tones of several only repeat what the legend shows. */
export function Plot({ title, series, isBars }: PlotProps): ReactElement {
  const [figure, width] = useWidth();
  const rows = tableOf(series);
  const values = rows.flatMap((row) =>
    isBars ? [row.values.reduce<number>((sum, value) => sum + (value ?? 0), 0)] : row.values,
  );
  const y = valueScale(values.filter((value) => value !== undefined));
  const most = Math.max(2, Math.floor(width / 110));
  const x = timeScale(
    rows.map(({ time }) => time),
    most,
  );
  const left = Math.max(...y.ticks.map((tick) => print(tick).length)) * CHAR_PX + 10;
  const bar = Math.max(1, Math.min(24, ((width - left) / Math.max(1, rows.length)) * 0.7));
  const inset = isBars ? bar / 2 + 2 : 3;
  const xOf = (time: number): number => placeOn(x, time, [left + inset, width - inset - 2]);
  const yOf = (value: number): number => placeOn(y, value, [BOTTOM, TOP]);

  return (
    <figure ref={figure} className="plot">
      <figcaption>
        <span className="plot-title">{title}</span>
        {series.length > 1 &&
          series.map(({ name, tone }) => (
            <span key={name} className={`plot-key is-${tone}`}>
              <svg aria-hidden="true" width="18" height="8">
                <line x1="0" x2="18" y1="4" y2="4" />
              </svg>
              {name}
            </span>
          ))}
      </figcaption>
      <svg role="img" aria-label={summaryOf(title, series)} width={width} height={HEIGHT}>
        <Axes x={x} y={y} xOf={xOf} yOf={yOf} left={left} width={width} />
        {isBars ? (
          <Bars rows={rows} series={series} xOf={xOf} yOf={yOf} bar={bar} />
        ) : (
          <Line rows={rows} xOf={xOf} yOf={yOf} />
        )}
      </svg>
      <Numbers title={title} rows={rows} series={series} />
    </figure>
  );
}

interface Places {
  readonly xOf: (time: number) => number;
  readonly yOf: (value: number) => number;
}

function Axes({
  x,
  y,
  xOf,
  yOf,
  left,
  width,
}: Places & { x: ReturnType<typeof timeScale>; y: Scale; left: number; width: number }): ReactElement {
  return (
    <g className="plot-axes">
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} className={tick === 0 ? 'is-zero' : ''} />
          <text x={left - 6} y={yOf(tick) + 4} textAnchor="end">
            {print(tick)}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <text
          key={tick}
          x={Math.min(Math.max(xOf(tick), left + 16), width - 26)}
          y={HEIGHT - 4}
          textAnchor="middle"
        >
          {timeText(tick, x.step)}
        </text>
      ))}
    </g>
  );
}

function Line({ rows, xOf, yOf }: Places & { rows: readonly Row[] }): ReactElement {
  const places = rows.map(
    ({ time, values: [value = 0] }) => `${xOf(time).toFixed(1)},${yOf(value).toFixed(1)}`,
  );
  const [last = '0,0'] = places.slice(-1);
  const [cx, cy] = last.split(',');
  return (
    <g>
      <polyline points={places.join(' ')} />
      {places.length > 0 && <circle cx={cx} cy={cy} r="2.5" />}
    </g>
  );
}

function Bars({
  rows,
  series,
  xOf,
  yOf,
  bar,
}: Places & { rows: readonly Row[]; series: readonly PlotSeries[]; bar: number }): ReactElement {
  return (
    <g>
      {rows.map(({ at, time, values }) => {
        let sum = 0;
        return values.map((value = 0, index) => {
          const [bottom, top] = [yOf(sum), yOf((sum += value))];
          return (
            <rect
              key={`${at} ${index}`}
              className={`is-${series[index]?.tone ?? 'dim'}`}
              x={xOf(time) - bar / 2}
              y={top}
              width={bar}
              height={Math.max(0, bottom - top)}
            />
          );
        });
      })}
    </g>
  );
}

function Numbers({
  title,
  rows,
  series,
}: {
  title: string;
  rows: readonly Row[];
  series: readonly PlotSeries[];
}): ReactElement {
  // The newest first, as everywhere.
  const shown = rows.slice(-ROWS_IN_TABLE).reverse();
  return (
    <details>
      <summary>Numbers</summary>
      <div className="plot-numbers" role="group" aria-label={`${title}: numbers`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, values }) => (
              <tr key={at}>
                <th scope="row">{at.slice(0, 19).replace('T', ' ')}</th>
                {values.map((value, index) => (
                  <td key={index}>{value === undefined ? '' : print(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function summaryOf(title: string, series: readonly PlotSeries[]): string {
  const parts = series.map(({ name, points }) => {
    const values = points.map(({ value }) => value);
    const least = values.reduce((a, b) => Math.min(a, b));
    const greatest = values.reduce((a, b) => Math.max(a, b));
    return `${name}: ${values.length} points from ${print(least)} to ${print(greatest)}, last ${print(values.at(-1) ?? 0)}`;
  });
  return `${title}. ${parts.join('. ')}`;
}

function print(value: number): string {
  return value.toLocaleString('en');
}

function useWidth(): [{ current: HTMLElement | null }, number] {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(320);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(160, target.clientWidth)));
    observer.observe(target);
    setWidth(Math.max(160, target.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
