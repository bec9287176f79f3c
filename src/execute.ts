import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { writeEnvironment } from '../routes/control/environment.ts'
import type { Config } from './config.ts'
import { ConfigError, codeOf, reasonOf } from './config-error.ts'
import { flags } from './flags.ts'

/** The part of `process` that is used. */
interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean }
  readonly stderr: { write(line: string): unknown }
  on(signal: NodeJS.Signals, handle: (signal: NodeJS.Signals) => void): unknown
}

/** A started server, as far as the command cares. */
interface Server {
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Signals that are handed on to the command. */
const handedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/**
 * Runs a command against a server of its own (behaviour/program#commands): its standard streams are the
 * caller's, and signals reach it.
 *
 * @returns the exit code: the command's own, 128+n when signal n ended it, 127 when there is no such
 *   command and 126 when it cannot be run
 * @throws {ConfigError} for what the server cannot be started with, and for a file that cannot be written
 */
export async function execute(
  config: Config,
  caller: Caller,
  startServer: (config: Config) => Promise<Server>,
): Promise<number> {
  const [program = '', ...args] = config.program
  let child: ReturnType<typeof spawn> | undefined
  let early: NodeJS.Signals | undefined
  for (const signal of handedOn) {
    caller.on(signal, () => {
      // A terminal has told the command itself already.
      if (signal === 'SIGINT' && caller.stdin.isTTY === true && child !== undefined) return
      if (child === undefined) early = signal
      else child.kill(signal)
    })
  }
  const server = await startServer(config)
  try {
    if (config.writeEnv !== undefined) writeVariables(config.writeEnv, server.env)
    if (early !== undefined) return signalCode(early)
    caller.stderr.write(
      `understudy: ${[program, ...args].join(' ')} runs against ${server.env['UNDERSTUDY_URL']}\n`,
    )
    child = spawn(program, args, { stdio: 'inherit', env: { ...caller.env, ...server.env } })
    const [code, signal] = await once(child, 'exit')
    return signal === null ? Number(code) : signalCode(signal)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const code = codeOf(error)
    caller.stderr.write(
      `understudy: cannot run ${program}: ${code === 'ENOENT' ? 'there is no such command' : reasonOf(error)}\n`,
    )
    return code === 'ENOENT' ? 127 : 126
  } finally {
    await server.close()
  }
}

function signalCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

function writeVariables(file: string, environment: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(file, writeEnvironment(environment, 'dotenv'))
  } catch (error) {
    throw new ConfigError(`--${flags.writeEnv.name}: cannot write ${file} (${reasonOf(error)})`)
  }
}
