import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const probe = fileURLToPath(new URL('./probe.mjs', import.meta.url))

/** Server in its own process. */
export interface ServerProcess {
  readonly url: string
  /** Address of the control plane; `url` for servers that have none. */
  readonly controlUrl: string
  /** Milliseconds from the spawn to the line that announces the address. */
  readonly startTime: number
  /** Returns the CPU time of all threads so far, in microseconds. Requires `probed`. */
  cpu(): Promise<number>
  /** Returns the bytes of live objects, on and off the heap. Requires `probed`. */
  memory(): Promise<number>
  stop(): Promise<void>
}

/** Settings of a started process. */
interface ProcessSettings {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether CPU and memory can be queried. Cold starts are measured without the probe. */
  readonly probed?: boolean
  /** Pattern of the line that announces the address; its first group is the address. */
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
      controlUrl: / control=(https?:\/\/[^\s/]+)/.exec(line)?.[1] ?? url,
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
 * Starts the command of a built checkout as users do, with the probe and without a log.
 *
 * @param more further arguments
 * @param api the API whose address is returned, because some listen on their own ports
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
