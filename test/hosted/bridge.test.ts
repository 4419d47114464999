/** The messages of a hosted flow's page, and the pages that receive them (contract §14). */
import { describe, expect, test } from 'vitest';
import { createBridge } from '../../src/hosted/bridge.ts';

const OWN = 'http://127.0.0.1:4010';

/** Makes a page of the service, in a frame unless `isOnTop`. `posted` holds the messages to the page around it. */
function aPage(origin: string | undefined, { isOnTop = false } = {}) {
  const posted: [unknown, string][] = [];
  const window = {
    location: { origin: OWN, search: origin === undefined ? '' : `?origin=${encodeURIComponent(origin)}` },
    parent: { postMessage: (message: unknown, target: string) => void posted.push([message, target]) },
  };
  // The topmost window is its own parent.
  if (isOnTop) Object.assign(window, { parent: window });
  return { window, posted };
}

describe('createBridge', () => {
  test.each([
    ['http://localhost:3000', ''],
    ['https://127.0.0.1', ''],
    ['http://[::1]:8080', ''],
    [OWN, ''],
    ['https://app.example', 'https://other.example https://app.example'],
  ])('report: reaches %s, and that origin only', (origin, allowed) => {
    const { window, posted } = aPage(origin);
    const bridge = createBridge(window, allowed);
    bridge.report('complete', { validation_token: 'vtok_x' });
    expect(bridge.isEmbedded).toBe(true);
    expect(posted).toEqual([[{ source: 'kyclone', type: 'complete', validation_token: 'vtok_x' }, origin]]);
  });

  test.each([
    undefined,
    '*',
    '',
    'null',
    'https://app.example',
    'https://app.example https://other.example',
    'http://localhost.app.example',
    'http://localhost:3000.app.example',
    'http://localhost:3000/',
    'http://app.example#http://localhost',
    'javascript://localhost',
  ])('report: reaches nobody for the origin %s', (origin) => {
    const { window, posted } = aPage(origin);
    const bridge = createBridge(window, 'https://other.example https://third.example');
    bridge.report('complete', { validation_token: 'vtok_x' });
    expect(bridge.isEmbedded).toBe(false);
    expect(posted).toEqual([]);
  });

  test('isOfApp: only a message of the app that opened the page, from its origin', () => {
    const { window } = aPage('http://localhost:3000');
    const bridge = createBridge(window, '');
    const source = window.parent;
    expect(bridge.isOfApp({ source, origin: 'http://localhost:3000' })).toBe(true);
    expect(bridge.isOfApp({ source, origin: 'http://localhost:3001' })).toBe(false);
    expect(bridge.isOfApp({ source: null, origin: 'http://localhost:3000' })).toBe(false);
    expect(createBridge(window, '').isOfApp({ source: {}, origin: OWN })).toBe(false);
    const refused = aPage('https://app.example').window;
    const message = { source: refused.parent, origin: 'https://app.example' };
    expect(createBridge(refused, '').isOfApp(message)).toBe(false);
  });

  test('report: a page on top has nobody to report to', () => {
    const { window } = aPage('http://localhost:3000', { isOnTop: true });
    expect(createBridge(window, '').isEmbedded).toBe(false);
  });
});
