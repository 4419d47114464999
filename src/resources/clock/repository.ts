/** The stored setting of the clock. */
import { isJsonObject } from '../../kernel/json.ts';
import type { ClockSetting } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import { findValue, putValue } from '../../storage/statement.ts';

const NAME = 'clock';

/** The setting from when the store was last closed; real time when it is missing or unreadable. */
export function storedClockSetting(database: Database): ClockSetting {
  const text = findValue(database, NAME);
  return text !== undefined ? settingOf(parsed(text)) : { mode: 'real' };
}

export function saveClockSetting(database: Database, setting: ClockSetting): void {
  putValue(database, NAME, JSON.stringify(setting));
}

/** For a new store whose clock is frozen from the start. */
export function storeFrozenClock(database: Database, at: number): void {
  saveClockSetting(database, { mode: 'frozen', at });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function settingOf(stored: unknown): ClockSetting {
  if (!isJsonObject(stored)) return { mode: 'real' };
  const { mode, offsetMs, at } = stored;
  if (mode === 'offset' && Number.isSafeInteger(offsetMs)) return { mode, offsetMs: offsetMs as number };
  if (mode === 'frozen' && Number.isSafeInteger(at)) return { mode, at: at as number };
  return { mode: 'real' };
}
