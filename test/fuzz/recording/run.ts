/**
 * Records a run of requests, or replays one against another build: `npm run fuzz -- --record FILE
 * [--requests N] [--seed TEXT] [--dialect neutral|vendor]`, `npm run fuzz -- --replay FILE
 * [--report FILE.json]`; both take `--command "node …/dist/src/cli.js"`.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type RecordingStart, RecordingWriter } from './format.ts'
import { recordRun } from './record.ts'
import { Recorder } from './recorder.ts'
import { linesAbout, replay } from './replay.ts'
import { RecordedServer } from './server.ts'
import { startOf } from './start.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    record: text,
    replay: text,
    requests: text,
    seed: text,
    dialect: text,
    command: text,
    report: text,
  },
})
const command = values.command?.split(' ').filter((part) => part !== '')
const begun = performance.now()
const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`

async function record(file: string, start: RecordingStart): Promise<void> {
  const server = await RecordedServer.start(start, command)
  const writer = new RecordingWriter(file)
  await writer.write(start)
  const recorder = new Recorder(server, writer)
  try {
    await recordRun(recorder, start)
  } finally {
    await writer.close()
    await server.stop()
  }
  for (const line of recorder.summary()) print(line)
  print(
    `recorded ${recorder.requests} requests and ${recorder.explanations} explanations in ${seconds()}`,
  )
}

async function compare(file: string): Promise<void> {
  const { differences, ...counts } = await replay(file, command)
  if (values.report !== undefined) {
    writeFileSync(values.report, JSON.stringify({ ...counts, differences }, null, 2))
  }
  for (const line of linesAbout(differences)) print(line)
  const { requests, control, explanations, documents, bodies, skipped } = counts
  print(
    `${differences.length === 0 ? 'no differences' : `${differences.length} differences`} in ` +
      `${requests} requests (${skipped} of ${bodies} bodies compared in part), ${control} control ` +
      `requests, ${explanations} explanations and ${documents} documents, in ${seconds()}`,
  )
  process.exitCode = differences.length === 0 ? 0 : 1
}

if (values.record !== undefined) {
  await record(values.record, startOf(values))
} else if (values.replay !== undefined) {
  await compare(values.replay)
}
