import { type ServerProcess, startCommand } from './process.ts'
import type { Row } from './report.ts'

const kept = 2000
const bound = 27 * 1024

/** Makes worlds as a client does. */
async function makeWorlds({ url }: ServerProcess, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    const made = await fetch(`${url}/_mock/worlds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: `w${n}` }),
    })
    await made.arrayBuffer()
    if (made.status !== 201) throw new Error('a world was refused')
  }
}

/** What a world takes that is made and kept, of 2,000 with all four services. */
export async function worldMemoryRow(): Promise<Row> {
  const server = await startCommand('.')
  try {
    // What is compiled or filled with the first ones is not theirs.
    await makeWorlds(server, 0, 50)
    const before = await server.memory()
    await makeWorlds(server, 50, 50 + kept)
    const bytes = ((await server.memory()) - before) / kept
    return {
      what: 'memory of a world kept, of 2,000',
      ours: `${(bytes / 1024).toFixed(1)} KiB`,
      against: '-',
      ratio: '-',
      bound: 'at most 27 KiB',
      holds: bytes <= bound,
    }
  } finally {
    await server.stop()
  }
}
