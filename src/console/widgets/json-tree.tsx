/**
 * JSON with folding. Only the lines in view are in the document, so that long documents don't stall. The tree has the
 * focus; its keys are those of the ARIA tree pattern, and ctrl-C copies the value of the selected line.
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
import { copyToClipboard, useCopying, type Copy } from './copying.ts';
import './json-tree.css';

export interface JsonTreeProps {
  readonly value: unknown;
  /** Names the tree for screen readers. */
  readonly label: string;
  /** Copies a text and returns what to report; without it, the text goes to the clipboard as it is. */
  readonly copy?: Copy | undefined;
}

const LINE_PX = 22;
/** A longer text doesn't fit beside its name, and is shown whole below the tree when its line is selected. */
const LONG_TEXT = 60;
const CUT_TEXT = 400;

/** Draws the value, with its first lines unfolded. What was folded by hand stays so when the value changes. */
export function JsonTree({ value, label, copy = copyToClipboard }: JsonTreeProps): ReactElement {
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

  const isLong = typeof line?.value === 'string' && line.value.length > LONG_TEXT;
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
        <button type="button" onClick={() => copyText(line?.path ?? '$')}>
          Copy path
        </button>
        <span role="status">{report}</span>
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
      {isLong && <pre className="json-whole">{copiedText(line.value)}</pre>}
    </div>
  );
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
      {name !== undefined && <span className="json-name">{name}: </span>}
      <ValueText value={value} isOpen={isOpen} />
    </>
  );
}

function ValueText({ value, isOpen }: { value: unknown; isOpen: boolean | undefined }): ReactElement {
  if (typeof value === 'object' && value !== null) {
    return (
      <span className="json-count">{isOpen ? (Array.isArray(value) ? '[' : '{') : foldedText(value)}</span>
    );
  }
  const text = value === undefined ? 'undefined' : JSON.stringify(value);
  return (
    <span className={`json-${value === null ? 'null' : typeof value}`}>
      {text.length > CUT_TEXT ? `${text.slice(0, CUT_TEXT)}…` : text}
    </span>
  );
}
