import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  /** Milliseconds from the spawn to the line that says it listens. */
  readonly startTime: number
  stop(): Promise<void>
}

/** Starts a Node script and waits for a line on its standard output that holds a URL. */
export async function startProcess(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const begin = performance.now()
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the process has no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https?:\/\/[^\s/]+/.exec(line)?.[0]
    if (url === undefined) continue
    return {
      url,
      startTime: performance.now() - begin,
      stop: async () => {
        const gone = once(child, 'exit')
        child.kill('SIGTERM')
        await gone
      },
    }
  }
  throw new Error(`${script} ended without saying where it listens`)
}
