import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from './connection.ts'
import type { ServerProcess } from './process.ts'

/** Linux counts the time of processes in hundredths of a second, whatever the kernel ticks. */
const tick = 10_000
const startLimit = 60_000

/** A server that is no program of ours and tells nothing by itself. */
export interface ExternalServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly port: number
  /** Files that it wants to find in its folder, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** What it answers as soon as it is of use. */
  readonly probe: Pick<Request, 'path' | 'headers'>
}

/** A port of the loopback address that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

/** The processes below one, and itself. */
async function processTree(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  )
  const children = (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean))
  return [pid, ...(await Promise.all(children.map((child) => processTree(Number(child))))).flat()]
}

/** Microseconds of CPU that a process has used, and the children that it has waited for. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name before the last bracket may have blanks; user, system and both of the children follow.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tick, 0)
}

/** Bytes in memory of a process and those below it; what they share counts once. */
export async function residentMemory(pid: number): Promise<number> {
  const sizes = (await processTree(pid)).map(async (each) => {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'utf8')
    return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1]) * 1024
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Asks until there is a good answer: a server that is not up yet refuses the connection. */
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

/** Starts a server in a folder of its own and waits for its first good answer. */
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
    startTime: performance.now() - begin,
    cpu: async () => {
      const processIds = await processTree(pid)
      return (await Promise.all(processIds.map(cpuOf))).reduce((sum, used) => sum + used, 0)
    },
    memory: () => residentMemory(pid),
    stop,
  }
}
