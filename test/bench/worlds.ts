import type { BenchOptions } from './options.ts'
import { type ServerProcess, startCommand } from './process.ts'
import type { Row } from './report.ts'

const worldCount = 2000
const bound = 8 * 1024

/** Creates worlds over HTTP, as a client does. */
async function makeWorlds({ url }: ServerProcess, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    const created = await fetch(`${url}/_mock/worlds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: `w${n}` }),
    })
    await created.arrayBuffer()
    if (created.status !== 201) throw new Error('a world was refused')
  }
}

/** Returns the bytes that a world takes, as the average of 2,000 worlds with all four services. */
async function memoryOfWorld(checkout: string): Promise<number> {
  const server = await startCommand(checkout)
  try {
    // The first worlds are not measured, because compilation and caches take memory then.
    await makeWorlds(server, 0, 50)
    const before = await server.memory()
    await makeWorlds(server, 50, 50 + worldCount)
    return ((await server.memory()) - before) / worldCount
  } finally {
    await server.stop()
  }
}

/** Measures the memory of a world in this build and, if one is given, in the other checkout. */
export async function worldMemoryRow({ against }: BenchOptions): Promise<Row> {
  const ours = await memoryOfWorld('.')
  const theirs = against === undefined ? undefined : await memoryOfWorld(against)
  return {
    what: 'memory of a world kept, of 2,000',
    ours: `${(ours / 1024).toFixed(1)} KiB`,
    against: theirs === undefined ? '-' : `${(theirs / 1024).toFixed(1)} KiB`,
    ratio: theirs === undefined ? '-' : (ours / theirs).toFixed(2),
    bound: 'at most 8 KiB',
    holds: ours <= bound,
  }
}
