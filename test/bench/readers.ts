import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { createUnderstudy } from '../../src/index.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

/** A process may have few sockets: reads that follow each other wait together on one. */
const connections = 200
const each = 50
const readers = connections * each
const rounds = 3

/** Connections on which blocking reads wait, and how many answers have come on all of them. */
class Readers {
  answers = 0
  readonly #sockets: Socket[] = []

  async open(port: number): Promise<void> {
    for (let count = 0; count < connections; count += 1) {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.setEncoding('latin1')
      socket.on('data', (text: string) => {
        this.answers += text.split('HTTP/1.1 200').length - 1
      })
      socket.on('error', () => {})
      await once(socket, 'connect')
      this.#sockets.push(socket)
    }
  }

  ask(index: number): void {
    const target = `/v1/namespaces?index=${index}&wait=600s`
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    for (const socket of this.#sockets) socket.write(request.repeat(each))
  }

  async answered(): Promise<void> {
    while (this.answers < readers) await turn()
    this.answers = 0
  }
}

/** 10,000 blocking reads over HTTP that one write wakes, and a shutdown with as many. */
export async function readerRows(): Promise<Row[]> {
  const running = await createUnderstudy({ seed: 'bench', clock: 'frozen@2026-01-01T00:00:00Z' })
  const { port } = new URL(await running.listen())
  const clients = new Readers()
  await clients.open(Number(port))
  const write = async (name: string) => {
    const payload = JSON.stringify({ Name: name })
    const reply = await running.inject({ method: 'PUT', url: '/v1/namespace', payload })
    if (reply.statusCode !== 200) throw new Error(reply.body)
  }
  const block = async () => {
    const { headers } = await running.inject({ url: '/v1/namespaces' })
    clients.ask(Number(headers['x-mesh-index']))
    while (!(await running.metrics()).includes(`understudy_blocked_readers ${readers}\n`)) {
      await turn()
    }
  }
  const figures: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await block()
    const begin = process.cpuUsage()
    await write(`round-${round}`)
    await clients.answered()
    const { user, system } = process.cpuUsage(begin)
    figures.push((user + system) / 1000)
  }
  await block()
  const begun = performance.now()
  await running.close()
  const took = performance.now() - begun
  const cpu = spreadOf(figures)
  return [
    {
      what: '10,000 blocked reads over HTTP, one write: CPU until all are answered, clients included',
      ours: showSpread(cpu, 0, ' ms'),
      against: '-',
      ratio: '-',
      bound: 'under 100 ms',
      holds: cpu.median < 100,
    },
    {
      what: 'shutdown with 10,000 blocked reads',
      ours: `${took.toFixed(0)} ms`,
      against: '-',
      ratio: '-',
      bound: 'under 250 ms',
      holds: took < 250,
    },
  ]
}
