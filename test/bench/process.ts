import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const probe = fileURLToPath(new URL('./probe.mjs', import.meta.url))

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  /** Milliseconds from the spawn to the line that says it listens. */
  readonly startTime: number
  /** Microseconds of CPU that the process has used so far, all threads. Only of a probed one. */
  cpu(): Promise<number>
  /** Bytes that live objects take, on the heap and beside it. Only of a probed one. */
  memory(): Promise<number>
  stop(): Promise<void>
}

/** How a process is started. */
interface ProcessSettings {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether it can be asked what it uses; cold starts are measured without. */
  readonly probed?: boolean
  /** What finds the address, as its group, in a line that the process prints. */
  readonly address?: RegExp
}

/** Starts a Node script and waits for a line on its standard output that holds a URL. */
export async function startProcess(
  script: string,
  { args = [], env = {}, probed = false, address = /(https?:\/\/[^\s/]+)/ }: ProcessSettings = {},
): Promise<ServerProcess> {
  const begin = performance.now()
  const before = probed ? ['--expose-gc', '--import', probe] : []
  const child: ChildProcess = spawn(process.execPath, [...before, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', ...(probed ? (['ipc'] as const) : [])],
  })
  if (child.stdout === null) throw new Error('the process has no standard output')
  const ask = async (question: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(question)
    return (await answer)[0]
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = address.exec(line)?.[1]
    if (url === undefined) continue
    return {
      url,
      startTime: performance.now() - begin,
      cpu: async () => {
        const { user, system } = (await ask('cpu')) as NodeJS.CpuUsage
        return user + system
      },
      memory: async () => {
        const { heapUsed, external } = (await ask('memory')) as NodeJS.MemoryUsage
        return heapUsed + external
      },
      stop: async () => {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      },
    }
  }
  throw new Error(`${script} ended without saying where it listens`)
}

/**
 * Starts the command of a built checkout as users do, without a log, and probed.
 *
 * @param more further arguments
 * @param api whose address is meant, where some have ports of their own
 */
export function startCommand(
  checkout: string,
  more: readonly string[] = [],
  api = 'secrets',
): Promise<ServerProcess> {
  const args = ['--port', '0', '--log-level', 'silent', ...more]
  const address = new RegExp(` ${api}=(https?://[^\\s/]+)`)
  return startProcess(`${checkout}/dist/src/cli.js`, { args, probed: true, address })
}
