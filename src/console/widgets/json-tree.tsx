/**
 * JSON with folding; control and direction characters are drawn as escapes. Only the lines in view are in the document,
 * so that long documents don't stall. The tree has the focus; its keys are those of the ARIA tree pattern, and ctrl-C
 * copies the value of the selected line.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import {
  copiedText,
  foldedText,
  jsonLines,
  openPaths,
  targetIndex,
  type Folding,
  type JsonLine,
} from './json-lines.ts';
import { ExactNumber, isJsonObject, jsonText } from '../../kernel/text/json.ts';
import { printable, printableJson, printableLines } from '../../kernel/text/terminal-text.ts';
import { useCopying, type Copy } from './copying.ts';
import './json-tree.css';

export interface JsonTreeProps {
  readonly value: unknown;
  /** Names the tree for screen readers. */
  readonly label: string;
  /** Copies a text and returns what to report. */
  readonly copy: Copy;
}

const LINE_PX = 22;
/** A longer line doesn't fit on a phone; the text is shown whole below the tree when its line is selected. */
const LONG_LINE = 36;
const CUT_TEXT = 400;

/** Draws the value, with its first lines unfolded. What was folded by hand stays so when the value changes. */
export function JsonTree({ value, label, copy }: JsonTreeProps): ReactElement {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [folding, setFolding] = useState<Folding>(foldingOf('first'));
  const [selected, setSelected] = useState('$');
  const [report, copyText] = useCopying(copy);
  const lines = useMemo(() => jsonLines(value, openPaths(value, folding)), [value, folding]);
  const index = Math.max(
    0,
    lines.findIndex(({ path }) => path === selected),
  );
  const line = lines[index];

  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 10,
    // The selected line stays in the document, because aria-activedescendant names it.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), index])].sort((a, b) => a - b),
  });
  useEffect(() => {
    virtualizer.scrollToIndex(index, { align: 'auto' });
  }, [selected]);

  function fold({ path, isOpen }: JsonLine): void {
    setFolding({ ...folding, byHand: new Map(folding.byHand).set(path, !isOpen) });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (line === undefined || event.altKey) return;
    const isCopy = (event.ctrlKey || event.metaKey) && event.key === 'c';
    if (isCopy) {
      if (getSelection()?.isCollapsed === false) return;
      copyText(copiedText(line.value));
    } else if (event.ctrlKey || event.metaKey) return;
    else if ((event.key === 'Enter' || event.key === ' ') && line.isOpen !== undefined) fold(line);
    else if (event.key === 'ArrowRight' && line.isOpen === false) fold(line);
    else if (event.key === 'ArrowLeft' && line.isOpen) fold(line);
    else {
      const target = lines[targetIndex(event.key, lines, index) ?? -1];
      if (target === undefined) return;
      setSelected(target.path);
    }
    event.preventDefault();
  }

  return (
    <div className="json">
      <div className="json-tools">
        <button type="button" onClick={() => setFolding(foldingOf('all'))}>
          Unfold all
        </button>
        <button type="button" onClick={() => setFolding(foldingOf('none'))}>
          Fold all
        </button>
        <button type="button" onClick={() => copyText(copiedText(line?.value))}>
          Copy value
        </button>
        <button type="button" onClick={() => line !== undefined && copyText(jsonText(line.value))}>
          Copy as one line
        </button>
        <button type="button" onClick={() => copyText(line?.path ?? '$')}>
          Copy path
        </button>
        <span role="status">{printableLines(report)}</span>
      </div>
      <div
        ref={scroller}
        className="json-lines"
        role="tree"
        aria-label={label}
        aria-activedescendant={`${id}-${index}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="none" className="json-all" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const each = lines[item.index];
            return (
              each && (
                <div
                  key={each.path}
                  id={`${id}-${item.index}`}
                  role="treeitem"
                  aria-level={each.level}
                  aria-posinset={each.position}
                  aria-setsize={each.siblings}
                  aria-expanded={each.isOpen}
                  aria-selected={item.index === index}
                  className="json-line"
                  style={{ transform: `translateY(${item.start}px)`, paddingLeft: `${each.level * 2}ch` }}
                  onClick={() => {
                    setSelected(each.path);
                    if (each.isOpen !== undefined) fold(each);
                  }}
                >
                  <LineText line={each} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {line !== undefined && isLong(line) && (
        <pre className="json-whole" tabIndex={0} role="group" aria-label="The whole text">
          {printableLines(copiedText(line.value))}
        </pre>
      )}
    </div>
  );
}

/** A name may be long, too. */
function isLong({ name = '', value, level }: JsonLine): boolean {
  if (typeof value === 'object' && value !== null) return false;
  return 2 * level + String(name).length + copiedText(value).length > LONG_LINE;
}

function foldingOf(base: Folding['base']): Folding {
  return { base, byHand: new Map() };
}

function LineText({ line: { name, value, isOpen } }: { line: JsonLine }): ReactElement {
  const fold = isOpen === undefined ? '' : isOpen ? '▾' : '▸';
  return (
    <>
      <span aria-hidden="true" className="json-fold">
        {fold}
      </span>
      {name !== undefined && <span className="json-name">{nameText(name)}: </span>}
      <ValueText value={value} isOpen={isOpen} />
    </>
  );
}

/** A name that begins or ends with a blank, and one without characters, stand in quotes. */
function nameText(name: string | number): string {
  const text = String(name);
  return printable(text !== '' && text.trim() === text ? text : JSON.stringify(text));
}

function ValueText({ value, isOpen }: { value: unknown; isOpen: boolean | undefined }): ReactElement {
  if (Array.isArray(value) || isJsonObject(value)) {
    return (
      <span className="json-count">{isOpen ? (Array.isArray(value) ? '[' : '{') : foldedText(value)}</span>
    );
  }
  const text = value === undefined ? 'undefined' : printableJson(jsonText(value));
  return (
    <span
      className={`json-${value === null ? 'null' : value instanceof ExactNumber ? 'number' : typeof value}`}
    >
      {text.length > CUT_TEXT ? `${text.slice(0, CUT_TEXT)}…` : text}
    </span>
  );
}
