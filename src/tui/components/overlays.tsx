/** Overlays over the screen: help, the palette, a form, a question; and a revealed value. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { padded, printable, shortened, wrapped } from '../../kernel/terminal-text.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { actions } from '../actions/registry.ts';
import { overlayHeight } from '../state/geometry.ts';
import { helpLines } from '../state/help.ts';
import type { Choice, Overlay, Revealed, Size, State, TextLine } from '../state/model.ts';
import { OPERATOR_HINT, OPERATOR_LABEL, SEARCH_IS_LOGGED } from '../state/operator.ts';
import { hintByKeys, TYPED_BEFORE } from '../state/overlay.ts';
import { questionLines, questionRoom } from '../state/overlays.ts';
import { found as foundBy } from '../state/palette.ts';
import { resultLines } from '../state/result-text.ts';
import { revealedHeight, revealedPart } from '../state/revealed-text.ts';
import { rowLines } from '../state/row-text.ts';
import { aboutText } from '../state/subject-text.ts';
import { useTheme, Line } from './theme.tsx';

/** A line, with the character under the cursor. */
export interface Typing {
  readonly prompt: string;
  readonly before: string;
  readonly at: string;
  readonly after: string;
}

/** The input line at the foot of the window. */
export function typingOf(overlay: Overlay): Typing | undefined {
  switch (overlay.kind) {
    case 'palette':
      return { prompt: ':', ...aroundCursor(overlay.line) };
    case 'filter':
      return { prompt: '/', ...aroundCursor(overlay.line) };
    case 'operator':
      return { prompt: `${OPERATOR_LABEL}: `, ...aroundCursor(overlay.line) };
    case 'form': {
      const field = overlay.fields[overlay.at];
      return field?.kind === 'text'
        ? { prompt: `${field.label}: `, ...aroundCursor(overlay.line) }
        : undefined;
    }
    default:
      return undefined;
  }
}

function aroundCursor({ text, cursor, isSelected }: TextLine): Omit<Typing, 'prompt'> {
  if (isSelected === true) return { before: '', at: text, after: '' };
  const characters = Array.from(text);
  return {
    before: characters.slice(0, cursor).join(''),
    at: characters[cursor] ?? ' ',
    after: characters.slice(cursor + 1).join(''),
  };
}

interface Shown<Kind extends Overlay['kind']> {
  readonly overlay: Extract<Overlay, { kind: Kind }>;
  readonly size: Size;
}

export function OverlayBox({ state }: { readonly state: State }): ReactNode {
  const { overlay } = state;
  switch (overlay?.kind) {
    case 'help':
      return <Help state={state} top={overlay.top} />;
    case 'row':
      return <WholeRow state={state} top={overlay.top} />;
    case 'palette':
      return <Palette state={state} overlay={overlay} />;
    case 'operator':
      return <Operator overlay={overlay} size={state.size} />;
    case 'form':
      return <Form overlay={overlay} size={state.size} />;
    case 'results':
      return <Results overlay={overlay} size={state.size} />;
    case 'secret':
      return <Secret overlay={overlay} size={state.size} />;
    case 'confirm':
      return <Confirm overlay={overlay} size={state.size} isLive={state.setup.environment === 'live'} />;
    default:
      return null;
  }
}

function Help({ state, top }: { readonly state: State; readonly top: number }): ReactNode {
  const theme = useTheme();
  const height = overlayHeight(state.size);
  const all = helpLines(state.setup.isReadonly);
  // The window may have grown since.
  const from = Math.max(0, Math.min(top, all.length - height));
  const lines = all.slice(from, from + height);
  return (
    <Box flexDirection="column">
      {lines.map((line) =>
        'heading' in line ? (
          <Text key={line.heading} {...theme.title}>
            {line.heading}
          </Text>
        ) : (
          <Line key={line.keys}>
            <Text {...theme.accent}>{`  ${padded(line.keys, 22)}`}</Text>
            {line.says}
          </Line>
        ),
      )}
    </Box>
  );
}

function WholeRow({ state, top }: { readonly state: State; readonly top: number }): ReactNode {
  const height = overlayHeight(state.size);
  const all = rowLines(state);
  const from = Math.max(0, Math.min(top, all.length - height));
  return (
    <Box flexDirection="column">
      {all.slice(from, from + height).map((line, index) => (
        <Line key={index}>{line}</Line>
      ))}
    </Box>
  );
}

/** The longest name plus a space. */
const NAME_CELLS = 32;

function Palette({
  state,
  overlay,
}: {
  readonly state: State;
  readonly overlay: Extract<Overlay, { kind: 'palette' }>;
}): ReactNode {
  const height = overlayHeight(state.size);
  const found = foundBy(state, overlay);
  const top = Math.max(0, overlay.selected - height + 1);
  return (
    <Box flexDirection="column">
      {found.slice(top, top + height).map(({ name, says }, index) => {
        const isSelected = top + index === overlay.selected;
        const text = `${isSelected ? '> ' : '  '}${padded(name, NAME_CELLS)}${says}`;
        return (
          <Line key={name} tone={isSelected ? 'selected' : 'plain'}>
            {text}
          </Line>
        );
      })}
    </Box>
  );
}

function Form({ overlay, size }: Shown<'form'>): ReactNode {
  const theme = useTheme();
  const { fields, at, values, selected, problem } = overlay;
  const field = fields[at];
  const hint = field && hintByKeys(field);
  const hints = hint === undefined ? [] : wrapped(printable(hint), size.columns - 4);
  // Leaves room for title, label, problem and the line of keys. If there is no room, only the latest earlier answer
  // is shown.
  const room = Math.max(2, overlayHeight(size) - 4 - hints.length);
  const given = fields.slice(Math.max(0, at - Math.max(1, room - 4)), at);
  const height = Math.max(1, room - given.length);
  const top = Math.max(0, selected - height + 1);
  return (
    <Box flexDirection="column">
      <Line tone="title">{`${actions[overlay.action].label} · ${aboutText(overlay)}`}</Line>
      {given.map(({ name, label, isShownOnce, choices }) => (
        <Line key={name} tone="dim">
          {`  ${label}: ${isShownOnce === true ? TYPED_BEFORE : printable(labelOf(values[name], choices))}`}
        </Line>
      ))}
      {fields.slice(at, at + 1).map(({ name, label, kind, choices }) => (
        <Box key={name} flexDirection="column">
          <Line>{`  ${label}${kind === 'text' ? ' (typed below)' : ''}`}</Line>
          {hints.map((line, index) => (
            <Text key={index} {...theme.dim}>{`    ${line}`}</Text>
          ))}
          {kind !== 'text' && choices === undefined && <Text {...theme.dim}>{'    Loading …'}</Text>}
          {kind !== 'text' && choices?.length === 0 && <Text {...theme.dim}>{'    Nothing to choose'}</Text>}
          {choices?.slice(top, top + height).map((choice, index) => {
            const isSelected =
              kind === 'text' ? choice.value === overlay.line.text : top + index === selected;
            const text = `  ${isSelected ? '>' : ' '} ${top + index + 1} ${printable(choice.label)}`;
            return (
              <Line key={choice.value} tone={isSelected ? 'selected' : 'plain'}>
                {shortened(text, size.columns)}
              </Line>
            );
          })}
        </Box>
      ))}
      {problem !== undefined && <Line tone="bad">{`  ${printable(problem)}`}</Line>}
      <Line tone="dim">{'  enter goes on, shift-tab goes back, escape cancels'}</Line>
    </Box>
  );
}

function Operator({ overlay, size }: Shown<'operator'>): ReactNode {
  const theme = useTheme();
  return (
    <Box flexDirection="column">
      <Line tone="title">{SEARCH_IS_LOGGED}</Line>
      <Line>{`  ${OPERATOR_LABEL} (typed below)`}</Line>
      {wrapped(OPERATOR_HINT, size.columns - 4).map((line, index) => (
        <Text key={index} {...theme.dim}>{`    ${line}`}</Text>
      ))}
      {overlay.problem !== undefined && <Line tone="bad">{`  ${printable(overlay.problem)}`}</Line>}
      <Line tone="dim">{'  enter searches, escape goes back'}</Line>
    </Box>
  );
}

/** A choice as it was read, not as it is sent. */
function labelOf(value: string | undefined, choices: readonly Choice[] | undefined): string | undefined {
  return choices?.find((choice) => choice.value === value)?.label ?? value;
}

function Confirm({ overlay, size, isLive }: Shown<'confirm'> & { readonly isLive: boolean }): ReactNode {
  const theme = useTheme();
  const all = questionLines(overlay.lines, size);
  const room = questionRoom(size);
  const from = Math.max(0, Math.min(overlay.top, all.length - room));
  const lines = all.slice(from, from + room);
  const rest = all.length > room ? `  lines ${from + 1} to ${from + lines.length} of ${all.length}: j k` : '';
  return (
    <Box flexDirection="column">
      <Line tone="title">{`${actions[overlay.action].label} · ${aboutText(overlay)}`}</Line>
      {lines.map((line, index) => (
        <Line key={index}>{`  ${line}`}</Line>
      ))}
      <Line>
        {'  '}
        {isLive && <Text {...theme.live}>{' IN THE LIVE ENVIRONMENT '}</Text>}
        <Text {...theme.warn}>{`${isLive ? ' ' : ''}y does it, n does nothing`}</Text>
        <Text {...theme.dim}>{rest}</Text>
      </Line>
    </Box>
  );
}

export function RevealedBox({
  revealed,
  now,
  size,
}: {
  readonly revealed: Revealed;
  readonly now: number;
  readonly size: Size;
}): ReactNode {
  const seconds = Math.max(0, Math.ceil((revealed.hidesAt - now) / SECOND_MS));
  const { lines, from, count } = revealedPart(revealed, size);
  const part =
    count > lines.length ? `, lines ${from + 1} to ${from + lines.length} of ${count} (pagedown pageup)` : '';
  return (
    <Box flexDirection="column" height={revealedHeight(revealed, size)}>
      <Line tone="title">{`Hides in ${seconds} s (x hides it now)${part}: ${printable(revealed.title)}`}</Line>
      {lines.map((line, index) => (
        <Line key={index} tone="secret">{`  ${line}  `}</Line>
      ))}
    </Box>
  );
}

// The result of an action: its outcome for each row, or a credential that is shown once.

function Results({ overlay, size }: Shown<'results'>): ReactNode {
  const { results, title } = overlay;
  const height = overlayHeight(size) - 1;
  const all = resultLines(results, size);
  const from = Math.max(0, Math.min(overlay.top, all.length - height));
  return (
    <Box flexDirection="column">
      <Line tone="title">{printable(title)}</Line>
      {all.slice(from, from + height).map(({ isDone, text }, index) => (
        <Line key={index} tone={isDone ? 'good' : 'bad'}>
          {text}
        </Line>
      ))}
    </Box>
  );
}

function Secret({ overlay, size }: Shown<'secret'>): ReactNode {
  const { title, secret, lines } = overlay;
  const below = [...lines, 'y copies it, escape closes it.'];
  return (
    <Box flexDirection="column">
      <Line tone="title">{printable(title)}</Line>
      {wrapped(printable(secret), size.columns - 4).map((line, index) => (
        <Line key={index} tone="secret">{`  ${line}  `}</Line>
      ))}
      {below
        .flatMap((line) => wrapped(printable(line), size.columns - 4))
        .map((line, index) => (
          <Line key={index}>{`  ${line}`}</Line>
        ))}
    </Box>
  );
}
