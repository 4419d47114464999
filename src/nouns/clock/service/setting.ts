/** The setting of the clock: as it is stored, and what a move makes of it (contract §11, PUT clock). */
import type { RequestOf } from '../../../contract/registry.ts';
import { parseDuration } from '../../../kernel/time/duration.ts';
import { isJsonObject, jsonOf } from '../../../kernel/text/json.ts';
import { type ClockSetting, LAST_INSTANT } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/database.ts';
import { findValue, putValue } from '../../../storage/statement.ts';
import { invalid } from '../../../kernel/errors.ts';

const NAME = 'clock';

/** The setting from when the store was last closed; real time when it is missing or unreadable. */
export function storedClockSetting(database: Database): ClockSetting {
  const text = findValue(database, NAME);
  return text !== undefined ? settingOf(jsonOf(text)) : { mode: 'real' };
}

export function saveClockSetting(database: Database, setting: ClockSetting): void {
  putValue(database, NAME, JSON.stringify(setting));
}

function settingOf(stored: unknown): ClockSetting {
  if (!isJsonObject(stored)) return { mode: 'real' };
  const { mode, offsetMs, at } = stored;
  if (mode === 'offset' && Number.isSafeInteger(offsetMs)) return { mode, offsetMs: offsetMs as number };
  if (mode === 'frozen' && Number.isSafeInteger(at)) return { mode, at: at as number };
  return { mode: 'real' };
}

// The effect of each action.

export type MoveRequest = RequestOf<'PUT /_kyclone/clock'>['body'];

/** The clock before the move; times are epoch milliseconds. */
interface ClockReading {
  readonly setting: ClockSetting;
  readonly now: number;
  readonly realNow: number;
}

/** The members that each action takes, and whether it needs them. */
const TAKES: Readonly<Record<MoveRequest['action'], Partial<Record<'at' | 'by', 'required' | 'optional'>>>> =
  {
    freeze: { at: 'optional' },
    set: { at: 'required' },
    advance: { by: 'required' },
    offset: { by: 'required' },
    resume: {},
  };

/** The setting of the clock after the move. Throws `invalid_request`. */
export function settingAfter(request: MoveRequest, reading: ClockReading): ClockSetting {
  requireMembers(request);
  const setting = moved(request, reading);
  requireInRange(momentOf(setting, reading.realNow));
  return setting;
}

/** The time that a clock with this setting shows, epoch milliseconds. */
export function momentOf(setting: ClockSetting, realNow: number): number {
  if (setting.mode === 'frozen') return setting.at;
  return setting.mode === 'offset' ? realNow + setting.offsetMs : realNow;
}

function moved(request: MoveRequest, reading: ClockReading): ClockSetting {
  const { setting, now, realNow } = reading;
  switch (request.action) {
    case 'resume':
      return { mode: 'real' };
    case 'freeze':
      return { mode: 'frozen', at: instant(request.at) ?? now };
    case 'set':
      return { mode: 'offset', offsetMs: (instant(request.at) ?? now) - realNow };
    case 'advance':
    case 'offset': {
      const shift = shiftOf(request, now);
      if (setting.mode === 'frozen') return { mode: 'frozen', at: setting.at + shift };
      return { mode: 'offset', offsetMs: (setting.mode === 'offset' ? setting.offsetMs : 0) + shift };
    }
  }
}

function requireMembers(request: MoveRequest): void {
  for (const member of ['at', 'by'] as const) {
    const isGiven = request[member] !== undefined;
    const takes = TAKES[request.action][member];
    if (takes === 'required' && !isGiven) throw invalid(`Action ${request.action} needs ${member}`);
    if (takes === undefined && isGiven) throw invalid(`Action ${request.action} takes no ${member}`);
  }
}

function instant(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}

function shiftOf({ action, by }: MoveRequest, now: number): number {
  const shift = typeof by === 'string' ? parseDuration(by, now) : by;
  if (shift === undefined || !Number.isSafeInteger(shift)) {
    throw invalid(
      'by must be an integer of milliseconds, a number with ms, s, m, h or d, or an ISO 8601 duration',
    );
  }
  if (action === 'advance' && shift < 0) {
    throw invalid('by must not be negative: action offset moves the clock back');
  }
  return shift;
}

function requireInRange(moment: number): void {
  if (moment < 0 || moment > LAST_INSTANT) throw invalid('The clock shows times from 1970 to 9999 only');
}
