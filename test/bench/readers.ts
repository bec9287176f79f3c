import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServerProcess, startCommand } from './process.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

/** Number of connections. Each pipelines several reads, because a process may open few sockets. */
const connections = 200
const readsPerConnection = 50
const readers = connections * readsPerConnection
const rounds = 5

/** Connections with waiting blocking reads, and the number of answers received on all of them. */
class BlockedReaders {
  answers = 0
  readonly #sockets: Socket[] = []

  async open(url: string): Promise<void> {
    const { hostname: host, port } = new URL(url)
    for (let count = 0; count < connections; count += 1) {
      const socket = connect({ port: Number(port), host })
      socket.setEncoding('latin1')
      socket.on('data', (text: string) => {
        this.answers += text.split('HTTP/1.1 200').length - 1
      })
      socket.on('error', () => {})
      await once(socket, 'connect')
      this.#sockets.push(socket)
    }
  }

  sendReads(index: string | null): void {
    const target = `/v1/namespaces?index=${index}&wait=600s`
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    for (const socket of this.#sockets) socket.write(request.repeat(readsPerConnection))
  }

  async waitForAnswers(): Promise<void> {
    while (this.answers < readers) await pause(2)
    this.answers = 0
  }
}

/** Sends the blocking reads and waits until the server reports all of them as blocked. */
async function waitUntilBlocked({ url }: ServerProcess, clients: BlockedReaders): Promise<void> {
  const { headers } = await fetch(`${url}/v1/namespaces`)
  clients.sendReads(headers.get('x-mesh-index'))
  const all = `understudy_blocked_readers ${readers}\n`
  const metrics = async () => (await fetch(`${url}/_mock/metrics`)).text()
  while (!(await metrics()).includes(all)) await pause(20)
}

async function write({ url }: ServerProcess, name: string): Promise<void> {
  const reply = await fetch(`${url}/v1/namespace`, {
    method: 'PUT',
    body: JSON.stringify({ Name: name }),
  })
  if (reply.status !== 200) throw new Error(await reply.text())
}

/**
 * Measures one write that wakes 10,000 blocking reads over HTTP, and a shutdown with as many
 * waiting.
 */
export async function readerRows(): Promise<Row[]> {
  const server = await startCommand('.', ['--clock', 'frozen@2026-01-01T00:00:00Z'])
  const clients = new BlockedReaders()
  await clients.open(server.url)
  const figures: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await waitUntilBlocked(server, clients)
    const begin = await server.cpu()
    await write(server, `round-${round}`)
    await clients.waitForAnswers()
    figures.push(((await server.cpu()) - begin) / 1000)
  }
  await waitUntilBlocked(server, clients)
  const begun = performance.now()
  await server.stop()
  const duration = performance.now() - begun
  return [
    {
      what: '10,000 blocked reads over HTTP, one write: CPU of the server until all are answered',
      ours: showSpread(spreadOf(figures), 0, ' ms'),
      against: '-',
      ratio: '-',
      bound: '-',
      holds: true,
    },
    {
      what: 'shutdown with 10,000 blocked reads, from the signal to the end of the process',
      ours: `${duration.toFixed(0)} ms`,
      against: '-',
      ratio: '-',
      bound: 'under 250 ms',
      holds: duration < 250,
    },
  ]
}
