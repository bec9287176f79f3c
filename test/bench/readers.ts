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

  /**
   * Sends all reads.
   *
   * @param target returns the path of a read by the number of its connection and its position on it
   */
  sendReads(target: (connection: number, place: number) => string): void {
    this.#sockets.forEach((socket, connection) => {
      const requests = Array.from(
        { length: readsPerConnection },
        (_, place) => `GET ${target(connection, place)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      )
      socket.write(requests.join(''))
    })
  }

  async waitForAnswers(count = readers): Promise<void> {
    while (this.answers < count) await pause(2)
    this.answers = 0
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Sends the blocking reads and waits until the server reports all of them as blocked. */
async function waitUntilBlocked(server: ServerProcess, clients: BlockedReaders): Promise<void> {
  const { headers } = await fetch(`${server.url}/v1/namespaces`)
  const target = `/v1/namespaces?index=${headers.get('x-mesh-index')}&wait=600s`
  clients.sendReads(() => target)
  await reportedBlocked(server, readers)
}

/** Waits until the server reports a number of blocked reads. */
async function reportedBlocked({ controlUrl }: ServerProcess, count: number): Promise<void> {
  const all = `understudy_blocked_readers ${count}\n`
  const metrics = async () => (await fetch(`${controlUrl}/_mock/metrics`)).text()
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

/** Number of services that the blocked reads of `checkRow` follow, and of readers of each. */
const followedServices = 1000
const readersPerService = 10

/** Measures a change of one check that wakes the reads of its service, of 10,000 that wait. */
export async function checkRow(): Promise<Row> {
  const clock = ['--clock', 'frozen@2026-01-01T00:00:00Z']
  const server = await startCommand('.', [...clock, '--mesh-port', '0'], 'mesh')
  const put = async (path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${server.url}/v1/agent/${path}`, { method: 'PUT', ...sent })
    if (reply.status !== 200) throw new Error(await reply.text())
  }
  for (let n = 0; n < followedServices; n += 1) {
    const Check = { TTL: '24h', Status: 'passing' }
    await put('service/register', { Name: `s${n}`, Port: 80, Check })
  }
  const clients = new BlockedReaders()
  await clients.open(server.url)
  const last = `${server.url}/v1/health/service/s${followedServices - 1}`
  const index = (await fetch(last)).headers.get('x-mesh-index')
  // Only the first read of a connection can be answered while the others wait.
  const first = connections / readersPerService
  clients.sendReads((connection, place) => {
    const other = (connection * readsPerConnection + place) % (followedServices - first)
    const service = place === 0 ? connection % first : first + other
    return `/v1/health/service/s${service}?index=${index}&wait=600s`
  })
  await reportedBlocked(server, readers)
  const figures: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begin = await server.cpu()
    await put(`check/fail/service:s${round}`)
    await clients.waitForAnswers(readersPerService)
    figures.push(((await server.cpu()) - begin) / 1000)
    await reportedBlocked(server, readers - readersPerService * (round + 1))
  }
  clients.close()
  await server.stop()
  return {
    what: '10,000 blocked reads of 1,000 services over HTTP, one check fails: CPU of the server until its 10 readers are answered',
    ours: showSpread(spreadOf(figures), 1, ' ms'),
    against: '-',
    ratio: '-',
    bound: 'under 100 ms',
    holds: spreadOf(figures).high < 100,
  }
}
