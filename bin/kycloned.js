#!/usr/bin/env node
import { main } from '../dist/daemon.js';

await main(process.argv.slice(2));
