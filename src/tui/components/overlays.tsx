/** Overlays over the screen: help, the palette, a form, a question; and a revealed value. */
import { Box, Text } from 'ink';
import type { ComponentProps, ReactNode } from 'react';
import { padded, printable, shortened, wrapped } from '../../kernel/text/terminal-text.ts';
import { actions } from '../actions/registry.ts';
import { overlayHeight } from '../state/geometry.ts';
import { helpLines } from '../state/key-map.ts';
import type { Choice, Overlay, Revealed, Size, State, TextLine } from '../state/model.ts';
import { OPERATOR_HINT, OPERATOR_LABEL, SEARCH_IS_LOGGED } from '../state/operator.ts';
import { hintByKeys, TYPED_BEFORE } from '../state/overlay.ts';
import { questionLines, questionRoom } from '../state/overlays.ts';
import { found as foundBy } from '../state/palette.ts';
import { lineOfOverlay } from '../state/reading.ts';
import { resultLines } from '../state/result-text.ts';
import { revealedHeight, revealedPart, secondsLeft, seenPart } from '../state/revealed-text.ts';
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
  const line = lineOfOverlay(overlay);
  return line && { prompt: promptOf(overlay), ...aroundCursor(line) };
}

function promptOf(overlay: Overlay): string {
  if (overlay.kind === 'palette') return ':';
  if (overlay.kind === 'filter') return '/';
  return `${(overlay.kind === 'form' && overlay.fields[overlay.at]?.label) || OPERATOR_LABEL}: `;
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
      return (
        <Titled>
          <Lines lines={seenPart(rowLines(state), overlay.top, overlayHeight(state.size)).lines} indent={0} />
        </Titled>
      );
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

/** Lines below each other, all in one tone, from this cell on. */
function Lines({
  lines,
  indent = 2,
  tone = 'plain',
}: {
  readonly lines: readonly string[];
  readonly indent?: number;
  readonly tone?: ComponentProps<typeof Line>['tone'];
}): ReactNode {
  return lines.map((line, index) => (
    <Line key={index} tone={tone}>
      {' '.repeat(indent) + line}
    </Line>
  ));
}

/** Under a title, if there is one. */
function Titled({ title, children }: { readonly title?: string; readonly children: ReactNode }): ReactNode {
  return (
    <Box flexDirection="column">
      {title !== undefined && <Line tone="title">{title}</Line>}
      {children}
    </Box>
  );
}

function Help({ state, top }: { readonly state: State; readonly top: number }): ReactNode {
  const theme = useTheme();
  const { lines } = seenPart(helpLines(state.setup.isReadonly), top, overlayHeight(state.size));
  return (
    <Titled>
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
    </Titled>
  );
}

/** The longest name plus a space. */
const NAME_CELLS = 32;

function Palette({ state, overlay }: Omit<Shown<'palette'>, 'size'> & { readonly state: State }): ReactNode {
  const height = overlayHeight(state.size);
  const found = foundBy(state, overlay);
  const top = Math.max(0, overlay.selected - height + 1);
  const { notice } = found.length === 0 ? state : {};
  return (
    <Titled>
      {notice && <Lines lines={wrapped(printable(notice.text), state.size.columns - 2)} tone={notice.tone} />}
      {found.slice(top, top + height).map(({ name, says }, index) => {
        const isSelected = top + index === overlay.selected;
        return (
          <Line key={name} tone={isSelected ? 'selected' : 'plain'}>
            {`${isSelected ? '> ' : '  '}${padded(name, NAME_CELLS)}${says}`}
          </Line>
        );
      })}
    </Titled>
  );
}

function Form({ overlay, size }: Shown<'form'>): ReactNode {
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
    <Titled title={titleOf(overlay)}>
      {given.map(({ name, label, isShownOnce, choices }) => (
        <Line key={name} tone="dim">
          {`  ${label}: ${isShownOnce === true ? TYPED_BEFORE : printable(labelOf(values[name], choices))}`}
        </Line>
      ))}
      {fields.slice(at, at + 1).map(({ name, label, kind, choices }) => (
        <Box key={name} flexDirection="column">
          <Line>{`  ${label}${kind === 'text' ? ' (typed below)' : ''}`}</Line>
          <Lines lines={hints} indent={4} tone="dim" />
          {kind !== 'text' && choices === undefined && <Line tone="dim">{'    Loading …'}</Line>}
          {kind !== 'text' && choices?.length === 0 && <Line tone="dim">{'    Nothing to choose'}</Line>}
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
      <Problem text={problem} />
      <Line tone="dim">{'  enter goes on, shift-tab goes back, escape cancels'}</Line>
    </Titled>
  );
}

function Operator({ overlay, size }: Shown<'operator'>): ReactNode {
  return (
    <Titled title={SEARCH_IS_LOGGED}>
      <Line>{`  ${OPERATOR_LABEL} (typed below)`}</Line>
      <Lines lines={wrapped(OPERATOR_HINT, size.columns - 4)} indent={4} tone="dim" />
      <Problem text={overlay.problem} />
      <Line tone="dim">{'  enter searches, escape goes back'}</Line>
    </Titled>
  );
}

function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  return text !== undefined && <Line tone="bad">{`  ${printable(text)}`}</Line>;
}

/** A choice as it was read, not as it is sent. */
function labelOf(value: string | undefined, choices: readonly Choice[] | undefined): string | undefined {
  return choices?.find((choice) => choice.value === value)?.label ?? value;
}

function Confirm({ overlay, size, isLive }: Shown<'confirm'> & { readonly isLive: boolean }): ReactNode {
  const theme = useTheme();
  const all = questionLines(overlay.lines, size);
  const { lines, from } = seenPart(all, overlay.top, questionRoom(size));
  const rest =
    all.length > lines.length ? `  lines ${from + 1} to ${from + lines.length} of ${all.length}: j k` : '';
  return (
    <Titled title={titleOf(overlay)}>
      <Lines lines={lines} />
      <Line>
        {'  '}
        {isLive && <Text {...theme.live}>{' IN THE LIVE ENVIRONMENT '}</Text>}
        <Text {...theme.warn}>{`${isLive ? ' ' : ''}y does it, n does nothing`}</Text>
        <Text {...theme.dim}>{rest}</Text>
      </Line>
    </Titled>
  );
}

function titleOf(overlay: Extract<Overlay, { kind: 'form' | 'confirm' }>): string {
  return `${actions[overlay.action].label} · ${aboutText(overlay)}`;
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
  const { lines, from, count } = revealedPart(revealed, size);
  const part =
    count > lines.length ? `, lines ${from + 1} to ${from + lines.length} of ${count} (pagedown pageup)` : '';
  return (
    <Box flexDirection="column" height={revealedHeight(revealed, size)}>
      <Line tone="title">{`Hides in ${secondsLeft(revealed, now)} s (x hides it now)${part}: ${printable(revealed.title)}`}</Line>
      <Lines lines={lines.map((line) => `${line}  `)} tone="secret" />
    </Box>
  );
}

// The result of an action: its outcome for each row, or a credential that is shown once.

function Results({ overlay, size }: Shown<'results'>): ReactNode {
  const all = resultLines(overlay.results, size);
  return (
    <Titled title={printable(overlay.title)}>
      {seenPart(all, overlay.top, overlayHeight(size) - 1).lines.map(({ isDone, text }, index) => (
        <Line key={index} tone={isDone ? 'good' : 'bad'}>
          {text}
        </Line>
      ))}
    </Titled>
  );
}

function Secret({ overlay, size }: Shown<'secret'>): ReactNode {
  const { title, secret, lines } = overlay;
  const linesOf = (text: string) => wrapped(printable(text), size.columns - 4);
  return (
    <Titled title={printable(title)}>
      <Lines lines={linesOf(secret).map((line) => `${line}  `)} tone="secret" />
      <Lines lines={[...lines, 'y copies it, escape closes it.'].flatMap(linesOf)} />
    </Titled>
  );
}
