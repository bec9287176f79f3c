import { startProcess } from './process.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 15

/** From the spawn of the command to its ready line, against a bare Fastify process. */
export async function startRow(): Promise<Row> {
  const args = ['--port', '0', '--log-level', 'silent']
  const figures = { ours: [] as number[], bare: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const ours = await startProcess('dist/src/cli.js', { args })
    await ours.stop()
    const bare = await startProcess('test/bench/bare.mjs')
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
    bound: 'at most 1.4',
    holds: ratio.median <= 1.4,
  }
}
