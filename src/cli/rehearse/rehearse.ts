import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suggestionFor } from '../../../routes/http/declare/similarity.ts'
import { wallClock } from '../../../state/kernel/time.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import type { EmbeddedWorld, NewEmbeddedWorld } from '../../embedding/embedded-world.ts'
import {
  CannotRun,
  type ExitResult,
  forwardedSignals,
  type HostProcess,
  ProcessGroup,
  signalCode,
} from '../child-process.ts'
import type { Config } from '../config.ts'
import { flags } from '../flags/flags.ts'
import {
  formatSeconds,
  type Rehearsal,
  rehearsalJunit,
  rehearsalMarkdown,
  summarizeRehearsal,
  summaryLine,
  type Trial,
  tableText,
} from './rehearsal-report.ts'
import {
  type CountedRequest,
  countRequests,
  differsFromBaseline,
  wasFaulted,
} from './request-counts.ts'

/** Part of a started server that rehearsals need. */
interface RehearsalServer {
  openWorld(request?: NewEmbeddedWorld): Promise<EmbeddedWorld>
  close(): Promise<void>
}

/** Error for a rehearsal that a signal has ended. */
class Interrupted extends Error {
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`)
    this.name = 'Interrupted'
    this.signal = signal
  }
}

/**
 * Runs a command once without failures, then once with each failure, each time in a world of its
 * own (behaviour/program#commands). The output of the command goes to standard error; standard
 * output only gets the table.
 *
 * @returns the exit code: 1 if fewer failures were survived than required
 * @throws {ConfigError} for unknown presets, for a command that fails without failures, and if the
 *   server cannot start
 */
export async function rehearse(
  config: Config,
  hostProcess: HostProcess,
  startServer: (config: Config) => Promise<RehearsalServer>,
): Promise<number> {
  const runner = new CommandRunner(config, hostProcess)
  const server = await startServer(config)
  try {
    const rehearsal = await runTrials(config, hostProcess, runner, server)
    hostProcess.stdout.write(tableText(rehearsal))
    hostProcess.stderr.write(`understudy: ${summaryLine(rehearsal)}\n`)
    if (config.report !== undefined) writeReports(config.report, rehearsal)
    return rehearsal.passed ? 0 : 1
  } catch (error) {
    if (error instanceof Interrupted) return signalCode(error.signal)
    throw error instanceof CannotRun ? new ConfigError(error.message) : error
  } finally {
    await server.close()
  }
}

async function runTrials(
  config: Config,
  hostProcess: HostProcess,
  runner: CommandRunner,
  server: RehearsalServer,
): Promise<Rehearsal> {
  const logLine = (text: string) => hostProcess.stderr.write(`understudy: ${text}\n`)
  logLine(`running ${config.program.join(' ')} without faults`)
  const baseline = await withWorld(server, async (world) => {
    const presets = selectPresets(config.presets, world)
    return { ...(await runner.run(world)), presets }
  })
  const failure = failureOf(baseline.exit, config)
  if (failure !== null)
    throw new ConfigError(`without faults, the command ${failure}; nothing to rehearse`)
  const { presets, requests } = baseline
  const trials: Trial[] = []
  for (const [at, preset] of presets.entries()) {
    logLine(`${at + 1} of ${presets.length}: ${preset}`)
    const trial = await withWorld(server, (world) =>
      runTrial(config, runner, world, preset, requests),
    )
    trials.push(trial)
    logLine(`${preset}: ${describeTrial(trial)}`)
  }
  const { program, failUnder } = config
  const { durationMs } = baseline.exit
  const undisturbed = { requests: requests.length, durationMs: Math.round(durationMs) }
  return summarizeRehearsal({ command: program, undisturbed, trials, failUnder })
}

/** Returns the presets to rehearse: the named ones, or all if none is named. */
function selectPresets(names: readonly string[], { faults }: EmbeddedWorld): readonly string[] {
  const known = faults.presets().map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const suggestion = suggestionFor(name, known)
    const remedy =
      suggestion === undefined ? `there are ${known.join(', ')}` : `did you mean ${suggestion}?`
    throw new ConfigError(`--${flags.presets.name}: there is no preset "${name}"; ${remedy}`)
  }
  return names.length > 0 ? [...new Set(names)] : known
}

/** Runs work with a world that has listeners of its own, and deletes the world. */
async function withWorld<T>(server: RehearsalServer, work: (world: EmbeddedWorld) => Promise<T>) {
  // A test suite may send more requests than a journal keeps by default.
  const world = await server.openWorld({ options: { control: { journalSize: 100_000 } } })
  try {
    return await work(world)
  } finally {
    world.delete()
  }
}

async function runTrial(
  config: Config,
  runner: CommandRunner,
  world: EmbeddedWorld,
  preset: string,
  baselineRequests: readonly CountedRequest[],
): Promise<Trial> {
  let applied: ReturnType<typeof world.faults.preset>
  try {
    applied = world.faults.preset(preset)
  } catch (error) {
    const reason = `impossible in this world: ${reasonOf(error)}`
    return { preset, survived: null, reason, hits: 0, retries: 0, durationMs: 0 }
  }
  const { exit, requests } = await runner.run(world)
  const reason = failureOf(exit, config)
  const isHit = applied.faults.length > 0 ? wasFaulted : differsFromBaseline(baselineRequests)
  return {
    preset,
    survived: reason === null,
    reason: reason && `the command ${reason}`,
    ...countRequests(requests, isHit),
    durationMs: Math.round(exit.durationMs),
  }
}

/** Runner of the command, for one run at a time. */
class CommandRunner {
  readonly #config: Config
  readonly #hostProcess: HostProcess
  #processGroup: ProcessGroup | undefined
  #signal: NodeJS.Signals | undefined

  constructor(config: Config, hostProcess: HostProcess) {
    this.#config = config
    this.#hostProcess = hostProcess
    for (const signal of forwardedSignals) {
      hostProcess.on(signal, () => {
        this.#signal = signal
        this.#processGroup?.kill(signal)
      })
    }
  }

  /**
   * Runs the command against a world.
   *
   * @throws {Interrupted} if a signal arrived before or during the run
   */
  async run(
    world: EmbeddedWorld,
  ): Promise<{ exit: ExitResult; requests: readonly CountedRequest[] }> {
    if (this.#signal !== undefined) throw new Interrupted(this.#signal)
    const { program, timeLimit } = this.#config
    const standardError = 2
    const stdio = ['ignore' as const, standardError, standardError]
    this.#processGroup = new ProcessGroup(program, this.#hostProcess, world.env(), stdio)
    const exit = await this.#processGroup.waitForExit(timeLimit)
    this.#processGroup = undefined
    if (this.#signal !== undefined) throw new Interrupted(this.#signal)
    return { exit, requests: world.requests.find({}) }
  }
}

/** Returns the reason why a run failed; null if it succeeded. */
function failureOf({ code, signal, timedOut }: ExitResult, { timeLimit }: Config): string | null {
  if (timedOut) return `took longer than ${formatSeconds(timeLimit)}`
  if (signal !== null) return `was ended by ${signal}`
  return code === 0 ? null : `ended with code ${code}`
}

function describeTrial({ survived, reason, hits, retries, durationMs }: Trial): string {
  if (survived === null) return `${reason}`
  const outcome = survived ? 'survived' : `not survived, ${reason}`
  return `${outcome}; ${hits} requests hit, ${retries} retries, ${formatSeconds(durationMs)}`
}

function writeReports(folder: string, rehearsal: Rehearsal): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'rehearsal.md'), rehearsalMarkdown(rehearsal))
    writeFileSync(join(folder, 'rehearsal.xml'), rehearsalJunit(rehearsal, wallClock()))
    writeFileSync(join(folder, 'rehearsal.json'), `${JSON.stringify(rehearsal, null, 2)}\n`)
  } catch (error) {
    throw new ConfigError(`--${flags.report.name}: cannot write to ${folder} (${reasonOf(error)})`)
  }
}
