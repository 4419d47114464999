/** The palette (`:` and ctrl-K): screens, actions, and a search for a person. */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { printable } from '../kernel/terminal-text.ts';
import type { Overlay } from '../tui/state/model.ts';
import { found } from '../tui/state/palette.ts';
import { Dialog, type DialogProps } from './dialog.tsx';

/** An arrow means the same as in the inspector. */
const KEYS: Readonly<Record<string, string>> = { ArrowDown: 'down', ArrowUp: 'up', Enter: 'enter' };

export function PaletteDialog({
  state,
  overlay,
  act,
  press,
}: DialogProps & { readonly overlay: Extract<Overlay, { kind: 'palette' }> }): ReactNode {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const entries = found(state, overlay);
  const { selected } = overlay;
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <Dialog
      title={overlay.isHere === true ? 'What can be done here' : 'Go to, do, or find'}
      className="palette"
      notice={state.notice}
      onClose={() => press('escape')}
    >
      <input
        role="combobox"
        aria-label={overlay.isHere === true ? 'Action' : 'Screen, action, id or name of a person'}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${selected}`}
        autoComplete="off"
        spellCheck={false}
        value={overlay.line.text}
        placeholder={overlay.isHere === true ? 'Filter' : 'A screen, an action, an id, or whom to find'}
        onChange={(event) => act({ kind: 'type', text: event.target.value })}
        onKeyDown={(event) => {
          const key = KEYS[event.key];
          if (key === undefined || event.nativeEvent.isComposing) return;
          event.preventDefault();
          press(key);
        }}
      />
      <ul ref={list} id={id} role="listbox" aria-label="What was found">
        {entries.map((entry, index) => (
          <li
            key={`${index} ${entry.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === selected}
            onClick={() => act({ kind: 'choose', index })}
          >
            <span className="name">{printable(entry.name)}</span>
            <span className="dim">{printable(entry.says)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
