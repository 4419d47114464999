/** Chooses an endpoint: a combobox (ARIA pattern) that searches methods, paths, summaries and tags. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { foundOperations, type Operation } from './request-operations.ts';

export function EndpointChoice({
  operations,
  operation,
  onChoose,
}: {
  operations: readonly Operation[];
  operation: Operation | undefined;
  readonly onChoose: (operation: Operation) => void;
}): ReactElement {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  /** Undefined while the list is closed. */
  const [search, setSearch] = useState<string>();
  const [index, setIndex] = useState(0);
  const found = search === undefined ? [] : foundOperations(operations, search);
  const active = found[index];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function open(): void {
    setSearch('');
    setIndex(
      Math.max(
        0,
        operations.findIndex((each) => each.id === operation?.id),
      ),
    );
  }
  function choose(chosen: Operation): void {
    setSearch(undefined);
    onChoose(chosen);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (search === undefined) open();
      else setIndex(Math.min(Math.max(index + (event.key === 'ArrowDown' ? 1 : -1), 0), found.length - 1));
    } else if (event.key === 'Enter' && search !== undefined) {
      if (active) choose(active);
    } else if (event.key === 'Escape' && search !== undefined) setSearch(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className="request-endpoint">
      <label htmlFor={id}>Endpoint</label>
      <input
        id={id}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={search !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${index}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={operation?.id ?? 'Search by method, path or words'}
        value={search ?? operation?.id ?? ''}
        onChange={({ target }) => {
          // The first character replaces the endpoint that was shown.
          setSearch(target.value);
          setIndex(0);
        }}
        onFocus={({ target }) => target.select()}
        onClick={() => search === undefined && open()}
        onBlur={() => setSearch(undefined)}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Endpoints" hidden={found.length === 0}>
        {found.map((each, at) => (
          <li
            key={each.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            // Before the field loses the focus, which closes the list.
            onPointerDown={(event) => {
              event.preventDefault();
              choose(each);
            }}
          >
            <span className={`request-method is-${each.method.toLowerCase()}`}>{each.method}</span>
            <span className="request-path">{each.path}</span>
            <span className="request-summary">{each.summary}</span>
          </li>
        ))}
      </ul>
      <p className="request-none" role="status">
        {search !== undefined && found.length === 0 ? 'Nothing found' : ''}
      </p>
    </div>
  );
}
