import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from './connection.ts'
import type { ServerProcess } from './process.ts'

/** Microseconds per unit of CPU time in `/proc`, which is a hundredth of a second on Linux. */
const tick = 10_000
const startLimit = 60_000

/** Server that is not started from our code and cannot be probed over a channel. */
export interface ExternalServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly port: number
  /** Files to create in its working directory, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Request that succeeds as soon as the server is ready. */
  readonly probe: Pick<Request, 'path' | 'headers'>
}

/** Returns a free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

/** Returns the ids of a process and all its descendants. */
async function processTree(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  )
  const children = (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean))
  return [pid, ...(await Promise.all(children.map((child) => processTree(Number(child))))).flat()]
}

/** Returns the CPU time, in microseconds, of a process and the children it has waited for. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The process name may contain spaces and ends at the last bracket. Items 11 to 14 after the name
  // are user and system time, of the process and of its children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tick, 0)
}

/** Returns the memory, in bytes, of a process and its descendants. Shared pages count once. */
export async function residentMemory(pid: number): Promise<number> {
  const sizes = (await processTree(pid)).map(async (each) => {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'utf8')
    return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1]) * 1024
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Polls until a request succeeds; a server that is not up yet refuses the connection. */
async function waitForAnswer(child: ChildProcess, url: string, headers: Record<string, string>) {
  const end = performance.now() + startLimit
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    const reply = await fetch(url, { headers }).catch(() => undefined)
    await reply?.arrayBuffer()
    if (reply?.ok) return
    await pause(2)
  }
  throw new Error(`nothing was answered at ${url}`)
}

/** Starts a server in its own temporary directory and waits until it answers the probe. */
export async function startExternalServer(server: ExternalServer): Promise<ServerProcess> {
  const { command, args, env = {}, port, files = {}, probe } = server
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const begin = performance.now()
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, HOME: folder, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} could not be started`)
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), 5000)
      await exited
      clearTimeout(forced)
    }
    await rm(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await waitForAnswer(child, url + probe.path, { ...probe.headers })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    controlUrl: url,
    startTime: performance.now() - begin,
    cpu: async () => {
      const processIds = await processTree(pid)
      return (await Promise.all(processIds.map(cpuOf))).reduce((sum, used) => sum + used, 0)
    },
    memory: () => residentMemory(pid),
    stop,
  }
}
