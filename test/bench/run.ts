/**
 * Prints the figures of behaviour/program#figures as one Markdown table, all from one run on one
 * machine. Run it with `npm run bench -- [--only PATTERN] [--seconds N] [--rounds N] [--against
 * DIR]`. The benchmark asserts nothing. BENCH_VAULT, BENCH_NOMAD and BENCH_CONSUL name binaries of
 * the products or their open forks to measure. If BENCH_MOCKS is set, the run installs other mock
 * servers and measures them in a second table.
 */
import { httpRows } from './http.ts'
import { verifyRow } from './journal.ts'
import { readOptions } from './options.ts'
import { mockTable } from './other-mocks.ts'
import { realRows } from './product-rows.ts'
import { checkRow, readerRows } from './readers.ts'
import { type Row, tableHead, tableLine } from './report.ts'
import { jobListRow } from './scheduler.ts'
import { firstAnswerRows, startRow, uncachedStartRow } from './start.ts'
import { listRow, memoryRow, wakeAllRow, wakeRow, worldRows } from './state.ts'
import { worldMemoryRow } from './worlds.ts'

const options = readOptions(process.argv.slice(2))

/** Rows that are not measured by a load of requests, by the name that `--only` matches. */
const others: Readonly<Record<string, () => Promise<Row | readonly Row[]> | Row | readonly Row[]>> =
  {
    'cold start': startRow,
    'cold start to the first answer': firstAnswerRows,
    'cold start of a foreign build': uncachedStartRow,
    'memory of a world': () => worldMemoryRow(options),
    'world snapshot fork restore reset': worldRows,
    'list of a folder': listRow,
    'memory of a secret': memoryRow,
    'blocked readers': () => [wakeRow(), wakeAllRow()],
    'blocked reads over HTTP': readerRows,
    'blocked reads of services': checkRow,
    'list of jobs by prefix': jobListRow,
    'verify calls of the journal': verifyRow,
  }

const print = (row: Row) => process.stdout.write(`${tableLine(row)}\n`)
process.stdout.write(`${tableHead}\n`)
for await (const row of httpRows(options)) print(row)
for await (const row of realRows(options)) print(row)
for (const [name, measure] of Object.entries(others)) {
  if (options.only.test(name)) [await measure()].flat().forEach(print)
}
for await (const line of mockTable(options)) process.stdout.write(`${line}\n`)
