import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suggestionFor } from '../../../routes/http/declare/similarity.ts'
import { wallClock } from '../../../state/kernel/time.ts'
import { defaultWorldId } from '../../../state/kernel/worlds/worlds.ts'
import { hiddenVariablesLine, isolatedEnvironment } from '../../client-environment.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import type { EmbeddedWorld } from '../../embedding/embedded-world.ts'
import { type RehearsedRequest, rehearsalEnvironment } from '../../embedding/rehearsed-worlds.ts'
import { TraceFile } from '../../trace-file.ts'
import {
  CannotRunError,
  type ExitResult,
  forwardedSignals,
  type HostProcess,
  ProcessGroup,
  signalCode,
} from '../child-process.ts'
import type { Config } from '../config.ts'
import { flags } from '../flags/flags.ts'
import { withoutTraceFile } from '../run-trace.ts'
import type { RunningServer } from '../server.ts'
import {
  formatSeconds,
  notUsedReason,
  type Rehearsal,
  rehearsalJunit,
  rehearsalMarkdown,
  summarizeRehearsal,
  summaryLine,
  type Trial,
  tableText,
} from './rehearsal-report.ts'
import { countRequests, differsFromBaseline, wasFaulted } from './request-counts.ts'

/** Part of a started server that rehearsals need. */
type RehearsalServer = Pick<
  RunningServer,
  'openWorld' | 'rehearseWorlds' | 'worlds' | 'tracePage' | 'close'
>

/** Error for a rehearsal that a signal has ended. */
class InterruptedError extends Error {
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
 * output only gets the table. With `--report`, writes the result and traces to files in a folder.
 *
 * @returns the exit code: 0, 1 if the command survived fewer failures than required, or 128+n if
 *   signal n ended the rehearsal
 * @throws {ConfigError} for an unknown preset; for a command that cannot be run; if the run without
 *   failures fails or makes no request; if no preset changed a reply; if the server cannot start;
 *   and if a report cannot be written
 */
export async function rehearse(
  config: Config,
  hostProcess: HostProcess,
  startServer: (config: Config) => Promise<RehearsalServer>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-rehearsal-'))
  const runner = new CommandRunner(config, hostProcess, join(folder, 'requests.jsonl'))
  const server = await startServer(config)
  try {
    const rehearsal = await runTrials(config, hostProcess, runner, server)
    hostProcess.stdout.write(tableText(rehearsal))
    hostProcess.stderr.write(`understudy: ${summaryLine(rehearsal)}\n`)
    if (config.report !== undefined) writeReports(config.report, rehearsal)
    if (rehearsal.tried === 0) throw new ConfigError(nothingTriedText)
    return rehearsal.passed ? 0 : 1
  } catch (error) {
    if (error instanceof InterruptedError) return signalCode(error.signal)
    throw error instanceof CannotRunError ? new ConfigError(error.message) : error
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nothingTriedText =
  'no preset changed the reply to any request of the command, so nothing was rehearsed'

/** Reason why a run has no trace: the rehearsal's server received none of the run's requests. */
const missedServerText =
  'all requests went to servers that the command started. With UNDERSTUDY_TRACE=on-failure, test fixtures write the traces of these servers'

const nothingRequestedText =
  'without faults, the command made no request to the server; nothing to rehearse. The command must find the server by the environment variables (VAULT_ADDR, UNDERSTUDY_URL and others), or use the fixtures of this package'

async function runTrials(
  config: Config,
  hostProcess: HostProcess,
  runner: CommandRunner,
  server: RehearsalServer,
): Promise<Rehearsal> {
  const logLine = (text: string) => hostProcess.stderr.write(`understudy: ${text}\n`)
  logLine(`running ${config.program.join(' ')} without faults`)
  const writeTrace: WriteTrace = async (name, { exit, hasMissedServer }) => {
    if (hasMissedServer) {
      if (config.report !== undefined) logLine(`${name}: no trace; ${missedServerText}`)
      return undefined
    }
    try {
      return await writeRunTrace(config, server, name, exit)
    } catch (error) {
      logLine(reasonOf(error))
      return undefined
    }
  }
  const { program, failUnder } = config
  const baseline = await withWorld(server, async (world) => {
    const presets = selectPresets(config.presets, world)
    const run = await runner.run(server, world)
    const failure = failureOf(run.exit, config)
    const trace = failure === null ? undefined : await writeTrace('undisturbed', run)
    return { ...run, presets, failure, trace }
  })
  const undisturbed = {
    requests: baseline.requests.length,
    durationMs: Math.round(baseline.exit.durationMs),
  }
  const { failure } = baseline
  if (failure !== null) {
    if (config.report !== undefined) {
      const failed = { ...undisturbed, reason: `the command ${failure}`, trace: baseline.trace }
      const results = { command: program, undisturbed: failed, trials: [], failUnder }
      writeReports(config.report, summarizeRehearsal(results))
    }
    throw new ConfigError(`without faults, the command ${failure}; nothing to rehearse`)
  }
  const { presets, requests } = baseline
  if (requests.length === 0) throw new ConfigError(nothingRequestedText)
  const trials: Trial[] = []
  for (const [at, preset] of presets.entries()) {
    logLine(`${at + 1} of ${presets.length}: ${preset}`)
    const trial = await withWorld(server, (world) =>
      runTrial(config, runner, server, world, preset, requests, writeTrace),
    )
    trials.push(trial)
    logLine(`${preset}: ${describeTrial(trial)}`)
  }
  return summarizeRehearsal({ command: program, undisturbed, trials, failUnder })
}

/**
 * Returns the presets to rehearse: the named ones, or all if none is named. Throws a `ConfigError`
 * for an unknown name.
 */
function selectPresets(names: readonly string[], { faults }: EmbeddedWorld): readonly string[] {
  const known = faults.presets().map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const suggestion = suggestionFor(name, known)
    const remedy =
      suggestion === undefined
        ? `the presets are ${known.join(', ')}`
        : `did you mean ${suggestion}?`
    throw new ConfigError(`--${flags.presets.name}: there is no preset "${name}"; ${remedy}`)
  }
  return names.length > 0 ? [...new Set(names)] : known
}

/**
 * Runs work with a world that has listeners of its own. Then deletes every world, except the
 * default world, which is reset.
 */
async function withWorld<T>(
  server: RehearsalServer,
  work: (world: EmbeddedWorld) => Promise<T>,
): Promise<T> {
  const world = await server.openWorld()
  try {
    return await work(world)
  } finally {
    // The command may have created worlds, and may have changed the default one.
    for (const each of server.worlds()) {
      if (each.id === defaultWorldId) each.reset()
      else each.delete()
    }
  }
}

async function runTrial(
  config: Config,
  runner: CommandRunner,
  server: RehearsalServer,
  world: EmbeddedWorld,
  preset: string,
  baselineRequests: readonly RehearsedRequest[],
  writeTrace: WriteTrace,
): Promise<Trial> {
  let applied: ReturnType<typeof world.faults.preset>
  try {
    applied = world.faults.preset(preset)
  } catch (error) {
    const reason = `impossible in this world: ${reasonOf(error)}`
    return { preset, survived: null, reason, hits: 0, retries: 0, durationMs: 0 }
  }
  const run = await runner.run(server, world, preset)
  const { exit, requests } = run
  const failure = failureOf(exit, config)
  const isHit = applied.faults.length > 0 ? wasFaulted : differsFromBaseline(baselineRequests)
  const counts = countRequests(requests, isHit)
  const isUnused = failure === null && counts.hits === 0
  const trace = failure === null ? undefined : await writeTrace(preset, run)
  return {
    preset,
    survived: isUnused ? null : failure === null,
    reason: isUnused ? notUsedReason : failure && `the command ${failure}`,
    ...counts,
    durationMs: Math.round(exit.durationMs),
    ...(trace === undefined ? {} : { trace }),
  }
}

/** Function that writes the trace of a run; returns the name of its file, if there is one. */
type WriteTrace = (name: string, run: CommandRun) => Promise<string | undefined>

/**
 * Writes the trace of a run to the folder of the reports. Returns the name of the file; undefined
 * if no such folder is set. Throws if the folder or the file cannot be written.
 */
async function writeRunTrace(
  { report }: Config,
  server: RehearsalServer,
  name: string,
  { code, signal }: ExitResult,
): Promise<string | undefined> {
  if (report === undefined) return undefined
  const file = `${name}.html`
  mkdirSync(report, { recursive: true })
  const page = await server.tracePage(signal === null ? code : signalCode(signal))
  await new TraceFile(join(report, file)).write(page)
  return file
}

interface CommandRun {
  readonly exit: ExitResult
  /** Requests to all worlds of all servers. */
  readonly requests: readonly RehearsedRequest[]
  /** True if requests were made, but none to the rehearsal's own server. */
  readonly hasMissedServer: boolean
}

/** Runner of the command, for one run at a time. */
class CommandRunner {
  readonly #config: Config
  readonly #hostProcess: HostProcess
  readonly #requestFile: string
  #processGroup: ProcessGroup | undefined
  #signal: NodeJS.Signals | undefined
  #shouldListHidden = true

  /**
   * @param requestFile file for the requests to servers that the command starts itself
   */
  constructor(config: Config, hostProcess: HostProcess, requestFile: string) {
    this.#config = config
    this.#hostProcess = hostProcess
    this.#requestFile = requestFile
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
   * @param preset failure that is applied to all worlds of the server, and to all worlds of servers
   *   that the command starts itself
   * @throws {InterruptedError} if a signal arrived before or during the run
   * @throws {CannotRunError} if the command could not be started
   */
  async run(server: RehearsalServer, world: EmbeddedWorld, preset?: string): Promise<CommandRun> {
    if (this.#signal !== undefined) throw new InterruptedError(this.#signal)
    const { program, timeLimit } = this.#config
    const standardError = 2
    const stdio = ['ignore' as const, standardError, standardError]
    writeFileSync(this.#requestFile, '')
    const requests: RehearsedRequest[] = []
    const end = server.rehearseWorlds({ preset, onRequest: (request) => requests.push(request) })
    this.#processGroup = new ProcessGroup(program, this.#environment(world, preset), stdio)
    const exit = await this.#processGroup.waitForExit(timeLimit)
    this.#processGroup = undefined
    end()
    if (this.#signal !== undefined) throw new InterruptedError(this.#signal)
    const requestsElsewhere = readRequests(this.#requestFile)
    const hasMissedServer = requests.length === 0 && requestsElsewhere.length > 0
    return { exit, requests: [...requests, ...requestsElsewhere], hasMissedServer }
  }

  /**
   * Returns the environment of the command. The first call prints, to standard error, the names of
   * the variables that are hidden from the command.
   */
  #environment(world: EmbeddedWorld, preset: string | undefined): HostProcess['env'] {
    const isolated = isolatedEnvironment(
      withoutTraceFile(this.#hostProcess.env),
      world.env(undefined, {}),
    )
    const line = hiddenVariablesLine(isolated)
    if (line !== undefined && this.#shouldListHidden) this.#hostProcess.stderr.write(line)
    this.#shouldListHidden = false
    return { ...isolated.env, ...rehearsalEnvironment({ preset, file: this.#requestFile }) }
  }
}

/** Returns the requests to servers that the command itself started, in the order of the file. */
function readRequests(file: string): readonly RehearsedRequest[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): RehearsedRequest => JSON.parse(line))
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
