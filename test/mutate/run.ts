import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { codeAround, drawMutants } from './draw.ts'
import type { Mutant } from './mutators.ts'
import { NearestTests } from './nearest.ts'
import {
  changeOf,
  type Result,
  ResultFile,
  readEquivalents,
  reasonOf,
  type Status,
  scoreOf,
  writeSurvivors,
} from './results.ts'
import { type Failure, Session, type Way } from './session.ts'

/**
 * Makes one small change at a time to the code of `state/` and `routes/`, and checks that a test
 * fails: `npm run mutate -- [--n 200] [--seed TEXT] [--only folder] [--threshold 92]`. Files on
 * disk do not change. Results are stored in `.mutate/`, so that an interrupted run can continue;
 * `--again` repeats the mutants that no test killed. Exits with 1 if the percentage of killed
 * mutants is below the threshold.
 */

/** Number of tests that run first, and of those that run only if none of the first fails. */
const nearest = 12
const wider = 28

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '200' },
    seed: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    threshold: { type: 'string', default: '92' },
    again: { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const print = (line: string) => process.stdout.write(`${line}\n`)

const mutants = drawMutants(root, { count: Number(values.n), seed: values.seed, only: values.only })
const equivalents = readEquivalents()
const known = new ResultFile(root)
const tests = new NearestTests(root)
const session = await Session.start(root, mutants)

/** Tests by their names, and whether they pass without a mutant. */
const sound = new Map<string, boolean>()
/** Files of tests that fail even without a mutant. */
const unsound = new Set<string>()

/**
 * Checks that a test passes without a mutant. The result is cached, so a test that fails is not run
 * again.
 */
async function isSound({ file, test }: Failure): Promise<boolean> {
  const name = `${file} ${test}`
  const passes = sound.get(name) ?? !(await session.run([file], undefined, test)).failure
  sound.set(name, passes)
  if (!passes) {
    unsound.add(file)
    print(`  left out, it fails without a mutant: ${name}`)
  }
  return passes
}

interface Judgement {
  readonly status: Status
  readonly note: string
}

async function judge(mutant: Mutant): Promise<Judgement> {
  const reason = reasonOf(root, mutant, equivalents)
  if (reason !== undefined) return { status: 'equivalent', note: reason }
  const files = tests.of(mutant.file, codeAround(root, mutant))
  for (const way of session.waysOf(mutant)) {
    const found = await judgeBy(way, mutant, files)
    // Code that only runs when its module is loaded is not reached by a switch.
    if (found.status !== 'no coverage' || way === 'reload') return found
  }
  throw new Error('a mutant can be run in no way')
}

async function judgeBy(way: Way, mutant: Mutant, files: readonly string[]): Promise<Judgement> {
  let isReached = false
  for (const batch of [files.slice(0, nearest), files.slice(nearest, nearest + wider)]) {
    let left = batch.filter((file) => !unsound.has(file))
    while (left.length > 0) {
      const { failure, hung, reached } = await session.run(left, { mutant, way })
      isReached ||= reached
      if (hung) return { status: 'hung', note: '' }
      if (failure === undefined) break
      if (await isSound(failure)) {
        return { status: 'killed', note: `${failure.file} ${failure.test ?? ''}` }
      }
      // Vitest stops at the first failure, so the files before this one passed.
      left = left.slice(left.indexOf(failure.file) + 1)
    }
  }
  return { status: isReached ? 'survived' : 'no coverage', note: '' }
}

const results: Result[] = []
// Vite ends the process with its exit code when a signal arrives.
const onExit = () => {
  process.exitCode = 2
  print(`interrupted after ${results.length} of ${mutants.length}`)
}
process.on('exit', onExit)
for (const [index, mutant] of mutants.entries()) {
  const earlier = known.find(mutant)
  const isFinal = earlier?.status === 'killed' || earlier?.status === 'hung'
  if (earlier !== undefined && (isFinal || !values.again)) {
    // The list of equivalent mutants may have changed since the stored result.
    const reason = isFinal ? undefined : reasonOf(root, mutant, equivalents)
    results.push(
      reason === undefined ? earlier : { ...earlier, status: 'equivalent', note: reason },
    )
    continue
  }
  const start = performance.now()
  const result = { mutant, ...(await judge(mutant)), seconds: (performance.now() - start) / 1000 }
  results.push(result)
  known.add(result)
  const place = `${mutant.file}:${mutant.line} ${mutant.kind} ${changeOf(mutant)}`
  print(`${index + 1}/${mutants.length} ${result.status} ${result.seconds.toFixed(1)} s ${place}`)
}
process.off('exit', onExit)
await session.close()

const { counts, percent, secondsEach, tooManyEquivalents } = scoreOf(results)
print([...counts].map(([status, count]) => `${status}: ${count}`).join(', '))
print(
  `${percent.toFixed(1)} % killed, ${secondsEach.toFixed(1)} s for each mutant that a test killed`,
)
print(`those that no test killed: ${writeSurvivors(root, results)}`)
if (tooManyEquivalents) print('more than 5 % are listed as equivalent')
process.exit(percent < Number(values.threshold) || tooManyEquivalents ? 1 : 0)
