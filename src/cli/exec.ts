import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { writeEnvironment } from '../../routes/control/worlds/environment.ts'
import { hiddenVariablesLine, isolatedEnvironment } from '../client-environment.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import type { TraceFile } from '../trace-file.ts'
import { CannotRunError, forwardedSignals, type HostProcess, signalCode } from './child-process.ts'
import type { Config } from './config.ts'
import { flags } from './flags/flags.ts'
import { prepareTrace, type TracedServer, withoutTraceFile, writeTrace } from './run-trace.ts'

/** Part of a started server that the command needs. */
interface ExecServer extends TracedServer {
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/**
 * Runs a command with a server of its own (behaviour/program#commands). The command inherits the
 * standard streams and receives signals. When the command ends, the server closes, and a requested
 * trace is written.
 *
 * @returns the exit code: the command's own, 128+n if signal n ended the command or arrived before
 *   its start, 127 if there is no such command, and 126 if the command cannot be run
 * @throws {ConfigError} if the server cannot start, or the file of `--write-env` cannot be written
 */
export async function execute(
  config: Config,
  hostProcess: Omit<HostProcess, 'stdout'>,
  startServer: (config: Config) => Promise<ExecServer>,
): Promise<number> {
  const [program = '', ...args] = config.program
  const trace = prepareTrace(config)
  let child: ReturnType<typeof spawn> | undefined
  let earlySignal: NodeJS.Signals | undefined
  const ending = new CommandEnding(trace)
  for (const signal of forwardedSignals) {
    hostProcess.on(signal, () => {
      ending.handleSignal()
      // On Ctrl+C, a terminal sends SIGINT to the command as well, so the signal is not forwarded.
      if (signal === 'SIGINT' && hostProcess.stdin.isTTY === true && child !== undefined) return
      if (child === undefined) earlySignal = signal
      else child.kill(signal)
    })
  }
  const server = await startServer(config)
  let exitCode: number | null = null
  try {
    if (config.writeEnv !== undefined) writeVariables(config.writeEnv, server.env)
    if (earlySignal !== undefined) {
      exitCode = signalCode(earlySignal)
      return exitCode
    }
    hostProcess.stderr.write(
      `understudy: running ${[program, ...args].join(' ')} against ${server.env['UNDERSTUDY_URL']}\n`,
    )
    const isolatedVariables = isolatedEnvironment(withoutTraceFile(hostProcess.env), server.env)
    const line = hiddenVariablesLine(isolatedVariables)
    if (line !== undefined) hostProcess.stderr.write(line)
    child = spawn(program, args, { stdio: 'inherit', env: isolatedVariables.env })
    const [code, signal] = await once(child, 'exit')
    exitCode = signal === null ? Number(code) : signalCode(signal)
    return exitCode
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const failure = new CannotRunError(program, error)
    hostProcess.stderr.write(`understudy: ${failure.message}\n`)
    exitCode = failure.exitCode
    return exitCode
  } finally {
    await ending.end(server, exitCode, (line) => void hostProcess.stderr.write(line))
  }
}

/** Last phase of a run, in which the server is closed and its trace is written. */
class CommandEnding {
  readonly #trace: TraceFile | undefined
  #signalCount = 0
  #interrupt: (() => void) | undefined

  constructor(trace: TraceFile | undefined) {
    this.#trace = trace
  }

  /**
   * Counts a signal. The second signal interrupts the writing of the trace and the wait for the
   * server.
   */
  handleSignal(): void {
    this.#signalCount += 1
    if (this.#signalCount > 1) this.#interrupt?.()
  }

  async end(
    server: ExecServer,
    exitCode: number | null,
    writeLine: (line: string) => void,
  ): Promise<void> {
    const trace = this.#trace
    if (trace === undefined) return server.close()
    const interrupted = new Promise<undefined>((resolve) => {
      this.#interrupt = () => resolve(undefined)
    })
    const traceWriting = writeTrace(server, trace, exitCode)
    const closing = server.close()
    const result = await Promise.race([traceWriting, interrupted])
    if (result === undefined) trace.abandon()
    else {
      writeLine(result.line)
      await Promise.race([closing, interrupted])
    }
  }
}

function writeVariables(file: string, environment: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(file, writeEnvironment(environment, 'dotenv'))
  } catch (error) {
    throw new ConfigError(`--${flags.writeEnv.name}: cannot write ${file} (${reasonOf(error)})`)
  }
}
