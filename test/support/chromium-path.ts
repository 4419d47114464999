/** The path of the machine's Chromium. Its headless shell opens a page in less than half of the time. */
import './tier-all.ts';
import { findProgram } from '../torture/tools.ts';

/** Undefined where Chromium is not installed. */
export const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map(findProgram)
  .find((path) => path !== undefined);
