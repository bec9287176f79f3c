import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { writeEnvironment } from '../../routes/control/worlds/environment.ts'
import { hiddenLine, isolatedEnvironment } from '../client-environment.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import { CannotRun, forwardedSignals, type HostProcess, signalCode } from './child-process.ts'
import type { Config } from './config.ts'
import { flags } from './flags/flags.ts'

/** Part of a started server that the command needs. */
interface ExecServer {
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/**
 * Runs a command with a server of its own (behaviour/program#commands). The command inherits the
 * standard streams and receives signals.
 *
 * @returns the exit code: the command's own, 128+n if signal n ended the command, 127 if there is no
 *   such command, and 126 if the command cannot be run
 * @throws {ConfigError} if the server cannot start, or the file of variables cannot be written
 */
export async function execute(
  config: Config,
  hostProcess: Omit<HostProcess, 'stdout'>,
  startServer: (config: Config) => Promise<ExecServer>,
): Promise<number> {
  const [program = '', ...args] = config.program
  let child: ReturnType<typeof spawn> | undefined
  let earlySignal: NodeJS.Signals | undefined
  for (const signal of forwardedSignals) {
    hostProcess.on(signal, () => {
      // On Ctrl+C, a terminal sends SIGINT to the command itself as well.
      if (signal === 'SIGINT' && hostProcess.stdin.isTTY === true && child !== undefined) return
      if (child === undefined) earlySignal = signal
      else child.kill(signal)
    })
  }
  const server = await startServer(config)
  try {
    if (config.writeEnv !== undefined) writeVariables(config.writeEnv, server.env)
    if (earlySignal !== undefined) return signalCode(earlySignal)
    hostProcess.stderr.write(
      `understudy: running ${[program, ...args].join(' ')} against ${server.env['UNDERSTUDY_URL']}\n`,
    )
    const isolated = isolatedEnvironment(hostProcess.env, server.env)
    const line = hiddenLine(isolated)
    if (line !== undefined) hostProcess.stderr.write(line)
    child = spawn(program, args, { stdio: 'inherit', env: isolated.env })
    const [code, signal] = await once(child, 'exit')
    return signal === null ? Number(code) : signalCode(signal)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const failure = new CannotRun(program, error)
    hostProcess.stderr.write(`understudy: ${failure.message}\n`)
    return failure.exitCode
  } finally {
    await server.close()
  }
}

function writeVariables(file: string, environment: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(file, writeEnvironment(environment, 'dotenv'))
  } catch (error) {
    throw new ConfigError(`--${flags.writeEnv.name}: cannot write ${file} (${reasonOf(error)})`)
  }
}
