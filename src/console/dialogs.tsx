/** What is open over a screen, as dialogs: help, a whole row, a form, a question, and results. */
import { useId, type ReactNode, useEffect, useRef } from 'react';
import { printable, shownLines } from '../kernel/text/terminal-text.ts';
import { actions } from '../tui/actions/registry.ts';
import { hasHeadings } from '../tui/state/geometry.ts';
import type { State } from '../tui/state/model.ts';
import { OPERATOR_HINT, OPERATOR_LABEL, SEARCH_IS_LOGGED } from '../tui/state/operator.ts';
import { found } from '../tui/state/palette.ts';
import { currentList, selectedRow } from '../tui/state/reading.ts';
import { textOf, toneOf } from '../tui/state/rows.ts';
import { aboutText } from '../tui/state/subject-text.ts';
import { Dialog, Problem, type DialogProps, Button, type DialogOf } from './dialog.tsx';
import { ActionForm } from './form.tsx';
import { pageKeys } from './keys.ts';

export function Dialogs(props: DialogProps): ReactNode {
  const { state } = props;
  const { overlay } = state;
  switch (overlay?.kind) {
    case 'help':
      return <Help {...props} />;
    case 'row':
      return (
        <Dialog title="The whole row" hasClose onClose={() => props.press('escape')}>
          <WholeRow state={state} />
        </Dialog>
      );
    case 'palette':
      return <PaletteDialog {...props} overlay={overlay} />;
    case 'operator':
      return <Operator {...props} overlay={overlay} />;
    case 'form':
      return (
        <Dialog
          title={actions[overlay.action].label}
          about={aboutText(overlay)}
          notice={state.notice}
          onClose={() => props.press('escape')}
        >
          <ActionForm
            key={`${overlay.action} ${JSON.stringify(overlay.subject)}`}
            form={overlay}
            onFill={(values) => props.act({ kind: 'fill', values })}
            onCancel={() => props.press('escape')}
          />
        </Dialog>
      );
    case 'confirm':
      return <Confirm {...props} overlay={overlay} />;
    case 'results':
      return <Results {...props} overlay={overlay} />;
    case 'secret':
      return <Secret {...props} overlay={overlay} />;
    default:
      return null;
  }
}

function Help({ state, press }: DialogProps): ReactNode {
  const keys = pageKeys(state.setup.isReadonly);
  const groups = [...new Set(keys.map(({ group }) => group))];
  return (
    <Dialog title="Keys" className="is-wide" hasClose onClose={() => press('escape')}>
      <div className="keys" tabIndex={0} role="region" aria-label="The keys">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys
                .filter((each) => each.group === group)
                .map(({ keys: names, says }) => (
                  <div key={names}>
                    <dt>
                      {names.split(' ').map((name) => (
                        <kbd key={name}>{name}</kbd>
                      ))}
                    </dt>
                    <dd>{says}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** The selected row with each heading and its whole text. */
export function WholeRow({ state }: { readonly state: State }): ReactNode {
  const { definition } = currentList(state);
  const row = selectedRow(state);
  if (row === undefined) return <p className="dim">No row is selected</p>;
  const cells = row.cells.map((cell) => ({ text: shownLines(textOf(cell)).join('\n'), tone: toneOf(cell) }));
  const facts = hasHeadings(definition)
    ? definition.columns.map(({ heading }, at) => ({ name: heading, ...cells[at] }))
    : [
        {
          name: cells[0]?.text ?? '',
          text: cells
            .slice(1)
            .map(({ text }) => text)
            .join(' '),
          tone: 'plain',
        },
      ];
  return (
    <dl className="facts">
      {facts.map(({ name, text = '', tone = 'plain' }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={`tone-${tone}`}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Operator({ overlay, act, press }: DialogOf<'operator'>): ReactNode {
  const id = useId();
  return (
    <Dialog title={SEARCH_IS_LOGGED} onClose={() => press('escape')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          press('enter');
        }}
      >
        <div className="field">
          <label htmlFor={id}>{OPERATOR_LABEL}</label>
          <input
            id={id}
            autoComplete="off"
            value={overlay.line.text}
            aria-describedby={`${id}-hint`}
            onChange={(event) => act({ kind: 'type', text: event.target.value })}
          />
          <p id={`${id}-hint`} className="hint">
            {OPERATOR_HINT}
          </p>
        </div>
        {overlay.problem !== undefined && <Problem text={overlay.problem} />}
        <div className="buttons">
          <button type="submit" className="is-main">
            Search
          </button>
          <Button onClick={() => press('escape')}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Confirm({ state, overlay, press }: DialogOf<'confirm'>): ReactNode {
  const isLive = state.setup.environment === 'live';
  return (
    <Dialog
      title={actions[overlay.action].label}
      about={aboutText(overlay)}
      isAlert
      notice={state.notice}
      onClose={() => press('escape')}
    >
      <div
        onKeyDown={(event) => {
          // The inspector's keys.
          if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
          if (!'yYnN'.includes(event.key)) return;
          event.preventDefault();
          press(event.key);
        }}
      >
        {overlay.lines.map((line, index) => (
          <p key={index}>{printable(line)}</p>
        ))}
        {isLive && <p className="live">In the live environment</p>}
        <div className="buttons">
          <Button className="is-main" autoFocus onClick={() => press('y')}>
            {actions[overlay.action].label} <kbd>y</kbd>
          </Button>
          <Button onClick={() => press('n')}>
            Do nothing <kbd>n</kbd>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Results({ overlay, press }: DialogOf<'results'>): ReactNode {
  return (
    <Dialog title={printable(overlay.title)} onClose={() => press('escape')}>
      <ul className="results">
        {overlay.results.map(({ key, isDone, text }) => (
          <li key={key} className={isDone ? 'tone-good' : 'tone-bad'}>
            {printable(`${isDone ? 'done' : 'failed'}  ${text}`)}
          </li>
        ))}
      </ul>
      <div className="buttons">
        <Button autoFocus onClick={() => press('escape')}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

/** The credential can't be shown again, so only its button closes it. */
function Secret({ overlay, press, copySecret }: DialogOf<'secret'>): ReactNode {
  const { title, secret, lines } = overlay;
  return (
    <Dialog title={printable(title)} onClose={() => undefined}>
      <p className="secret">
        <code>{printable(secret)}</code>
      </p>
      {lines.map((line) => (
        <p key={line}>{printable(line)}</p>
      ))}
      <div className="buttons">
        <Button className="is-main" autoFocus onClick={() => copySecret(secret, title)}>
          Copy
        </Button>
        <Button onClick={() => press('escape')}>I have it: close</Button>
      </div>
    </Dialog>
  );
}

// The palette (`:` and ctrl-K): screens, actions, and a search for a person.

/** An arrow means the same as in the inspector. */
const KEYS: Readonly<Record<string, string>> = { ArrowDown: 'down', ArrowUp: 'up', Enter: 'enter' };

function PaletteDialog({ state, overlay, act, press }: DialogOf<'palette'>): ReactNode {
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
      hasClose
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
      <p role="status" className="dim">
        {entries.length === 0 ? 'Nothing found' : ''}
      </p>
    </Dialog>
  );
}
