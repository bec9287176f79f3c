import { startProcess } from './process.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 15

/** From the spawn of the command to its ready line, against a bare Fastify process. */
export function startRow(): Promise<Row> {
  return rowOf('cold start to the ready line, against a bare Fastify process', 1, {})
}

/** The same where another Node built the program: any flag of V8 makes it one. */
export function foreignStartRow(): Promise<Row> {
  const what = 'cold start of a program that another Node built, against a bare Fastify process'
  return rowOf(what, 1.4, { NODE_OPTIONS: '--stack-trace-limit=11' })
}

async function rowOf(
  what: string,
  bound: number,
  env: Readonly<Record<string, string>>,
): Promise<Row> {
  const args = ['--port', '0', '--log-level', 'silent']
  const figures = { ours: [] as number[], bare: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const ours = await startProcess('dist/src/cli.js', { args, env })
    await ours.stop()
    const bare = await startProcess('test/bench/bare.mjs', { env })
    await bare.stop()
    figures.ours.push(ours.startTime)
    figures.bare.push(bare.startTime)
    figures.ratio.push(ours.startTime / bare.startTime)
  }
  const ratio = spreadOf(figures.ratio)
  return {
    what,
    ours: showSpread(spreadOf(figures.ours), 0, ' ms'),
    against: showSpread(spreadOf(figures.bare), 0, ' ms'),
    ratio: showSpread(ratio, 2),
    bound: `at most ${bound}`,
    holds: ratio.median <= bound,
  }
}
