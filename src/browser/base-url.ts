/** The address of the instance (contract §14). */
const DEFAULT = 'http://localhost:4630';

/** A property of the window, or a text that the bundler puts here. */
declare const KYCLONE_BASE_URL: unknown;

/** On the window, since each entry of the package has a copy of this module. */
const CONFIGURED = Symbol.for('kyclone.baseUrl');

export function setBaseUrl(baseUrl: string): void {
  Object.assign(globalThis, { [CONFIGURED]: baseUrl });
}

/** Without a slash at the end. */
export function currentBaseUrl(): string {
  const given = typeof KYCLONE_BASE_URL === 'string' ? KYCLONE_BASE_URL : DEFAULT;
  const configured: unknown = Reflect.get(globalThis, CONFIGURED);
  let base = typeof configured === 'string' ? configured : given;
  while (base.endsWith('/')) base = base.slice(0, -1);
  return base;
}
