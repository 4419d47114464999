/** Translates Node's key events into the names of key-map.ts. */

/** A key of a `keypress` event of node:readline (`emitKeypressEvents`). */
export interface Keypress {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const NAMED: ReadonlySet<string> = new Set([
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'escape',
  'backspace',
  'delete',
  'space',
]);

/** Undefined for a key that the inspector does not use. */
export function keyOf(text: string | undefined, { name, ctrl, meta, shift }: Keypress): string | undefined {
  if (name === 'escape') return name;
  if (meta === true) return undefined;
  if (name === 'return' || name === 'enter') return 'enter';
  if (name === 'tab') return shift === true ? 'shift-tab' : 'tab';
  if (ctrl === true) return name !== undefined && /^[a-z]$/.test(name) ? `ctrl-${name}` : undefined;
  if (name !== undefined && NAMED.has(name)) return name;
  if (text === undefined || Array.from(text).length !== 1) return undefined;
  return /^[\u0000-\u001f\u007f-\u009f]$/.test(text) ? undefined : text;
}
