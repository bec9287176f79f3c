import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { monotonicTime, setAlarm } from '../../state/kernel/time.ts'
import { codeOf, reasonOf } from '../config-error.ts'

/** Part of `process` that commands with a child process need. */
export interface HostProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(line: string): unknown }
  on(signal: NodeJS.Signals, handle: (signal: NodeJS.Signals) => void): unknown
}

export const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** Returns the exit code that a shell reports for a command that was ended by a signal. */
export function signalCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

export interface ExitResult {
  /** Exit code; null if a signal ended the program. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True if the program exceeded its time limit. */
  readonly timedOut: boolean
  /** Run time in real milliseconds. */
  readonly durationMs: number
}

/** Error for a program that cannot be started. */
export class CannotRunError extends Error {
  /**
   * Exit code that a shell reports for this error: 127 if there is no such program, 126 otherwise.
   */
  readonly exitCode: number

  constructor(program: string, error: unknown) {
    const isMissing = codeOf(error) === 'ENOENT'
    super(`cannot run ${program}: ${isMissing ? 'command not found' : reasonOf(error)}`)
    this.name = 'CannotRun'
    this.exitCode = isMissing ? 127 : 126
  }
}

/** Milliseconds between SIGTERM and SIGKILL. */
const killDelay = 2000

/** Program in a process group of its own, so that signals reach its child processes as well. */
export class ProcessGroup {
  readonly #program: string
  readonly #child: ChildProcess
  readonly #startedAt = monotonicTime()
  #hasTimedOut = false

  /**
   * @param env complete environment of the program
   */
  constructor(
    [program = '', ...args]: readonly string[],
    env: HostProcess['env'],
    stdio: StdioOptions,
  ) {
    this.#program = program
    this.#child = spawn(program, args, { stdio, env, detached: true })
  }

  /**
   * Sends a signal to every process of the group, if any is left. Throws if the system does not
   * permit the signal.
   */
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
   * Waits for the end of the program. A program that runs longer than `limit` milliseconds is ended
   * together with its process group: by SIGTERM, then by SIGKILL as soon as the program has ended
   * or two seconds have passed.
   *
   * @throws {CannotRunError} if the program could not be started
   */
  async waitForExit(limit: number): Promise<ExitResult> {
    let timer = setAlarm(limit, () => {
      this.#hasTimedOut = true
      this.kill('SIGTERM')
      timer = setAlarm(killDelay, () => this.kill('SIGKILL'))
    })
    try {
      const [code, signal] = await once(this.#child, 'exit')
      // Child processes may still run after the program itself has ended.
      if (this.#hasTimedOut) this.kill('SIGKILL')
      return {
        code,
        signal,
        timedOut: this.#hasTimedOut,
        durationMs: monotonicTime() - this.#startedAt,
      }
    } catch (error) {
      throw new CannotRunError(this.#program, error)
    } finally {
      timer.cancel()
    }
  }
}
