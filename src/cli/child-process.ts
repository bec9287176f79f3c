import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { monotonicTime, setAlarm } from '../../state/kernel/time.ts'
import { codeOf, reasonOf } from '../config-error.ts'

/** The part of `process` that those who run programs use. */
export interface HostProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(line: string): unknown }
  on(signal: NodeJS.Signals, handle: (signal: NodeJS.Signals) => void): unknown
}

/** Signals that are handed on to the program. */
export const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** The exit code of a shell's command that a signal ended. */
export function signalCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** How a program ended. */
export interface ExitResult {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True when it was ended because it took too long. */
  readonly timedOut: boolean
  /** Real milliseconds. */
  readonly durationMs: number
}

/** A program that cannot be run at all. */
export class CannotRun extends Error {
  /** As a shell would end: 127 where there is none of that name. */
  readonly exitCode: number

  constructor(program: string, error: unknown) {
    const isMissing = codeOf(error) === 'ENOENT'
    super(`cannot run ${program}: ${isMissing ? 'command not found' : reasonOf(error)}`)
    this.name = 'CannotRun'
    this.exitCode = isMissing ? 127 : 126
  }
}

/** Milliseconds that a program has to end by itself once it was told to. */
const killDelay = 2000

/**
 * A program with all that it starts: a group of processes of its own, so that none of them outlives
 * its time. It cannot read from a terminal.
 */
export class ProcessGroup {
  readonly #program: string
  readonly #child: ChildProcess
  readonly #startedAt = monotonicTime()
  #timedOut = false

  /** @param environment beside that of the caller */
  constructor(
    [program = '', ...args]: readonly string[],
    hostProcess: Pick<HostProcess, 'env'>,
    environment: Readonly<Record<string, string>>,
    stdio: StdioOptions,
  ) {
    this.#program = program
    const env = { ...hostProcess.env, ...environment }
    this.#child = spawn(program, args, { stdio, env, detached: true })
  }

  /** Sends a signal to each of its processes; nothing where they have ended. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error
    }
  }

  /**
   * Waits for the end of the program, which comes after `limit` milliseconds at the latest.
   *
   * @throws {CannotRun} where it did not begin
   */
  async waitForExit(limit: number): Promise<ExitResult> {
    let timer = setAlarm(limit, () => {
      this.#timedOut = true
      this.kill('SIGTERM')
      timer = setAlarm(killDelay, () => this.kill('SIGKILL'))
    })
    try {
      const [code, signal] = await once(this.#child, 'exit')
      // Those that it started and left.
      if (this.#timedOut) this.kill('SIGKILL')
      return {
        code,
        signal,
        timedOut: this.#timedOut,
        durationMs: monotonicTime() - this.#startedAt,
      }
    } catch (error) {
      throw new CannotRun(this.#program, error)
    } finally {
      timer.cancel()
    }
  }
}
