import { startProcess } from './process.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 15

/** From the spawn of the command to its ready line, against a bare Fastify process. */
export async function startRow(bareScript: string): Promise<Row> {
  const figures = { ours: [] as number[], bare: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const ours = await startProcess('dist/src/cli.js', ['--port', '0', '--log-level', 'error'])
    await ours.stop()
    const bare = await startProcess(bareScript)
    await bare.stop()
    figures.ours.push(ours.startTime)
    figures.bare.push(bare.startTime)
    figures.ratio.push(ours.startTime / bare.startTime)
  }
  const ratio = spreadOf(figures.ratio)
  return {
    what: 'cold start to the ready line, against a bare Fastify process',
    ours: showSpread(spreadOf(figures.ours), 0, ' ms'),
    against: showSpread(spreadOf(figures.bare), 0, ' ms'),
    ratio: showSpread(ratio, 2),
    bound: 'at most 1.5',
    holds: ratio.median <= 1.5,
  }
}
