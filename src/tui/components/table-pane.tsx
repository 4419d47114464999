/** The visible rows of a pane, under their headings. */
import { Box, Text } from 'ink';
import { memo, type ReactNode } from 'react';
import { displayWidth, padded, printable, shortened } from '../../kernel/terminal-text.ts';
import type { PaneDefinition } from '../screens/definition.ts';
import { COLUMN_GAP, fitted, placeColumns, type PlacedColumn } from '../state/columns.ts';
import { hasHeadings } from '../state/geometry.ts';
import type { Cell, PaneState, Row } from '../state/model.ts';
import { rowsOf } from '../state/panes.ts';
import { textOf } from '../state/rows.ts';
import { useTheme } from './theme.tsx';

const MARK = '> ';
const NO_MARK = '  ';
const MARKED = '* ';
const SELECTED_AND_MARKED = '>*';

export interface TablePaneProps {
  readonly definition: PaneDefinition;
  readonly pane: PaneState;
  readonly width: number;
  readonly height: number;
}

export function TablePane({ definition, pane, width, height }: TablePaneProps): ReactNode {
  const theme = useTheme();
  const rows = rowsOf(pane, definition);
  const drawn = rows.slice(pane.top, pane.top + height);
  const placed = placeColumns(definition.columns, drawn, width - MARK.length);
  return (
    <Box flexDirection="column" width={width} height={height + (hasHeadings(definition) ? 1 : 0)}>
      {hasHeadings(definition) && (
        <Text {...theme.dim} wrap="truncate">
          {NO_MARK +
            placed
              .map(({ at, width: cells }) => headingText(definition, pane, at, cells))
              .join(' '.repeat(COLUMN_GAP))}
        </Text>
      )}
      {drawn.map((row, index) => (
        <TableRow
          key={row.key}
          row={row}
          isSelected={pane.top + index === pane.selected}
          isMarked={pane.marked.has(row.key)}
          placed={placed}
          definition={definition}
        />
      ))}
      {drawn.length === 0 && (
        <Text {...theme.dim} wrap="truncate">
          {NO_MARK + shortened(printable(emptyText(definition, pane)), width - NO_MARK.length)}
        </Text>
      )}
    </Box>
  );
}

function headingText({ columns }: PaneDefinition, { sort }: PaneState, at: number, width: number): string {
  const heading = columns[at]?.heading ?? '';
  const text = sort?.column === at ? `${heading}${sort.descending ? '↓' : '↑'}` : heading;
  return aligned(shortened(text, width), width, columns[at]?.align);
}

function emptyText({ empty }: PaneDefinition, { isKnown, filter, problem }: PaneState): string {
  if (problem !== undefined) return problem;
  if (!isKnown) return 'Loading …';
  return filter === '' ? empty : 'Nothing matches the filter';
}

interface TableRowProps {
  readonly row: Row;
  readonly isSelected: boolean;
  readonly isMarked: boolean;
  readonly placed: readonly PlacedColumn[];
  readonly definition: PaneDefinition;
}

const TableRow = memo(function TableRow(props: TableRowProps): ReactNode {
  const { row, isSelected, isMarked, placed, definition } = props;
  const theme = useTheme();
  const cells = placed.map(({ at, width }) => {
    const cell = row.cells[at];
    const column = definition.columns[at];
    const text = aligned(fitted(printable(textOf(cell)), width, column), width, column?.align);
    return { at, text, tone: toneOf(cell) };
  });
  if (isSelected) {
    return (
      <Text {...theme.selected} wrap="truncate">
        {(isMarked ? SELECTED_AND_MARKED : MARK) + cells.map(({ text }) => text).join(' '.repeat(COLUMN_GAP))}
      </Text>
    );
  }
  return (
    <Text wrap="truncate">
      {isMarked ? MARKED : NO_MARK}
      {cells.map(({ at, text, tone }, index) => (
        <Text key={at} {...theme[tone]}>
          {(index === 0 ? '' : ' '.repeat(COLUMN_GAP)) + text}
        </Text>
      ))}
    </Text>
  );
}, isSameRow);

/** Widths are computed with each frame, but seldom change. */
function isSameRow(one: TableRowProps, other: TableRowProps): boolean {
  return (
    one.row === other.row &&
    one.isSelected === other.isSelected &&
    one.isMarked === other.isMarked &&
    one.definition === other.definition &&
    one.placed.length === other.placed.length &&
    one.placed.every(
      ({ at, width }, index) => other.placed[index]?.at === at && other.placed[index].width === width,
    )
  );
}

function toneOf(cell: string | Cell | undefined): Cell['tone'] {
  return typeof cell === 'object' ? cell.tone : 'plain';
}

function aligned(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? ' '.repeat(Math.max(0, width - displayWidth(text))) + text : padded(text, width);
}
