/**
 * Prints the figures of DESIGN section 9 as one Markdown table, all from one run on one machine.
 * Run it with `npm run bench`; it is no test and asserts nothing.
 */
import { httpRows } from './http.ts'
import { tableOf } from './report.ts'
import { jobListRow } from './scheduler.ts'
import { startRow } from './start.ts'
import { listRow, memoryRow, wakeRow, worldRows } from './state.ts'

const rows = [
  ...(await httpRows()),
  await startRow('test/bench/bare.mjs'),
  ...worldRows(),
  listRow(),
  memoryRow(),
  wakeRow(),
  jobListRow(),
]
process.stdout.write(`${tableOf(rows)}\n`)
