import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suggestionFor } from '../routes/http/likeness.ts'
import { wallClock } from '../state/kernel/time.ts'
import { type Caller, CannotRun, type Ended, Group, handedOn, signalCode } from './child-program.ts'
import type { Config } from './config.ts'
import { ConfigError, reasonOf } from './config-error.ts'
import type { EmbeddedWorld, NewEmbeddedWorld } from './embedded-world.ts'
import { flags } from './flags.ts'
import { answeredOtherwise, type Counted, count, wasFaulted } from './rehearsal-count.ts'
import {
  type Rehearsal,
  rehearsalJunit,
  rehearsalMarkdown,
  rehearsalOf,
  seconds,
  type Trial,
  tableText,
  verdictOf,
} from './rehearsal-report.ts'

/** A started server, as far as rehearsals care. */
interface Server {
  openWorld(request?: NewEmbeddedWorld): Promise<EmbeddedWorld>
  close(): Promise<void>
}

/** A signal ended the rehearsal. */
class Interrupted extends Error {
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`)
    this.name = 'Interrupted'
    this.signal = signal
  }
}

/**
 * Runs a command once undisturbed, then once with each failure, each time in a world of its own
 * (behaviour/program#commands). What the command writes goes to standard error; standard output gets
 * the table alone.
 *
 * @returns the exit code: 1 when fewer failures were survived than are asked for
 * @throws {ConfigError} for unknown presets, a command that fails undisturbed, and what the server
 *   cannot be started with
 */
export async function rehearse(
  config: Config,
  caller: Caller,
  startServer: (config: Config) => Promise<Server>,
): Promise<number> {
  const stage = new Stage(config, caller)
  const server = await startServer(config)
  try {
    const rehearsal = await play(config, caller, stage, server)
    caller.stdout.write(tableText(rehearsal))
    caller.stderr.write(`understudy: ${verdictOf(rehearsal)}\n`)
    if (config.report !== undefined) writeReports(config.report, rehearsal)
    return rehearsal.passed ? 0 : 1
  } catch (error) {
    if (error instanceof Interrupted) return signalCode(error.signal)
    throw error instanceof CannotRun ? new ConfigError(error.message) : error
  } finally {
    await server.close()
  }
}

async function play(
  config: Config,
  caller: Caller,
  stage: Stage,
  server: Server,
): Promise<Rehearsal> {
  const say = (text: string) => caller.stderr.write(`understudy: ${text}\n`)
  say(`running ${config.program.join(' ')} without faults`)
  const first = await inWorld(server, async (world) => {
    const presets = wanted(config.presets, world)
    return { ...(await stage.run(world)), presets }
  })
  const failure = failureOf(first.ended, config)
  if (failure !== null)
    throw new ConfigError(`without faults, the command ${failure}; nothing to rehearse`)
  const { presets, requests } = first
  const trials: Trial[] = []
  for (const [at, preset] of presets.entries()) {
    say(`${at + 1} of ${presets.length}: ${preset}`)
    const trial = await inWorld(server, (world) => tryOne(config, stage, world, preset, requests))
    trials.push(trial)
    say(`${preset}: ${told(trial)}`)
  }
  const { program, failUnder } = config
  const { durationMs } = first.ended
  const undisturbed = { requests: requests.length, durationMs: Math.round(durationMs) }
  return rehearsalOf({ command: program, undisturbed, trials, failUnder })
}

/** The presets to rehearse: all that there are, unless some are named. */
function wanted(named: readonly string[], { faults }: EmbeddedWorld): readonly string[] {
  const known = faults.presets().map(({ name }) => name)
  for (const name of named) {
    if (known.includes(name)) continue
    const meant = suggestionFor(name, known)
    const remedy = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`
    throw new ConfigError(`--${flags.presets.name}: there is no preset "${name}"; ${remedy}`)
  }
  return named.length > 0 ? [...new Set(named)] : known
}

/** Does something with a world that has listeners of its own, and ends it. */
async function inWorld<T>(server: Server, work: (world: EmbeddedWorld) => Promise<T>): Promise<T> {
  // A suite may send more requests than a journal usually keeps.
  const world = await server.openWorld({ options: { control: { journalSize: 100_000 } } })
  try {
    return await work(world)
  } finally {
    world.delete()
  }
}

async function tryOne(
  config: Config,
  stage: Stage,
  world: EmbeddedWorld,
  preset: string,
  usual: readonly Counted[],
): Promise<Trial> {
  let applied: ReturnType<typeof world.faults.preset>
  try {
    applied = world.faults.preset(preset)
  } catch (error) {
    const reason = `impossible in this world: ${reasonOf(error)}`
    return { preset, survived: null, reason, hits: 0, retries: 0, durationMs: 0 }
  }
  const { ended, requests } = await stage.run(world)
  const reason = failureOf(ended, config)
  const isHit = applied.faults.length > 0 ? wasFaulted : answeredOtherwise(usual)
  return {
    preset,
    survived: reason === null,
    reason: reason && `the command ${reason}`,
    ...count(requests, isHit),
    durationMs: Math.round(ended.durationMs),
  }
}

/** Runs the command, once at a time. */
class Stage {
  readonly #config: Config
  readonly #caller: Caller
  #group: Group | undefined
  #signal: NodeJS.Signals | undefined

  constructor(config: Config, caller: Caller) {
    this.#config = config
    this.#caller = caller
    for (const signal of handedOn) {
      caller.on(signal, () => {
        this.#signal = signal
        this.#group?.kill(signal)
      })
    }
  }

  /**
   * Runs the command against a world.
   *
   * @throws {Interrupted} when a signal came, before or meanwhile
   */
  async run(world: EmbeddedWorld): Promise<{ ended: Ended; requests: readonly Counted[] }> {
    if (this.#signal !== undefined) throw new Interrupted(this.#signal)
    const { program, timeLimit } = this.#config
    const standardError = 2
    const stdio = ['ignore' as const, standardError, standardError]
    this.#group = new Group(program, this.#caller, world.env(), stdio)
    const ended = await this.#group.ended(timeLimit)
    this.#group = undefined
    if (this.#signal !== undefined) throw new Interrupted(this.#signal)
    return { ended, requests: world.requests.find({}) }
  }
}

/** Why a run counts as failed; null where it does not. */
function failureOf({ code, signal, late }: Ended, { timeLimit }: Config): string | null {
  if (late) return `took longer than ${seconds(timeLimit)}`
  if (signal !== null) return `was ended by ${signal}`
  return code === 0 ? null : `ended with code ${code}`
}

function told({ survived, reason, hits, retries, durationMs }: Trial): string {
  if (survived === null) return `${reason}`
  const outcome = survived ? 'survived' : `not survived, ${reason}`
  return `${outcome}; ${hits} requests hit, ${retries} retries, ${seconds(durationMs)}`
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
