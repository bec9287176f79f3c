import autocannon from 'autocannon'
import { type ServerProcess, startProcess } from './process.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 7
const secondsPerRound = 2
const connections = 10

const payload = JSON.stringify({ data: { user: 'ada', password: 'x'.repeat(40), port: 5432 } })
const token = { 'x-secrets-token': 'root' }

interface Shot {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly body?: string
}

async function requestsPerSecond({ url, method, body }: Shot): Promise<number> {
  const result = await autocannon({
    url,
    method,
    connections,
    duration: secondsPerRound,
    headers: { ...token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${method} ${url} was refused`)
  return result.requests.total / result.duration
}

/** Turn and turn about, so that a slow spell of the machine falls on both. */
async function compare(what: string, ours: Shot, bare: Shot, bound: number): Promise<Row> {
  await requestsPerSecond(ours)
  await requestsPerSecond(bare)
  const figures = { ours: [] as number[], bare: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const mine = await requestsPerSecond(ours)
    const theirs = await requestsPerSecond(bare)
    figures.ours.push(mine)
    figures.bare.push(theirs)
    figures.ratio.push(mine / theirs)
  }
  const ratio = spreadOf(figures.ratio)
  return {
    what,
    ours: `${spreadOf(figures.ours).median.toFixed(0)}/s`,
    against: `${spreadOf(figures.bare).median.toFixed(0)}/s`,
    ratio: showSpread(ratio, 2),
    bound: `at least ${bound}`,
    holds: ratio.median >= bound,
  }
}

/** Key-value v2 over HTTP against a bare Fastify that sends the same bytes. */
export async function httpRows(): Promise<Row[]> {
  const servers: ServerProcess[] = []
  try {
    const mine = await startProcess('dist/src/cli.js', ['--port', '0', '--log-level', 'error'])
    servers.push(mine)
    const secret = `${mine.url}/v1/secret/data/bench`
    const written = await fetch(secret, { method: 'POST', body: payload, headers: token })
    const readReply = await (await fetch(secret, { headers: token })).text()
    const bareRead = await startProcess('test/bench/bare.mjs', [], { BARE_REPLY: readReply })
    const bareWrite = await startProcess('test/bench/bare.mjs', [], {
      BARE_REPLY: await written.text(),
    })
    servers.push(bareRead, bareWrite)
    return [
      await compare(
        'key-value v2 read, against a bare route sending the same bytes',
        { url: secret, method: 'GET' },
        { url: `${bareRead.url}/`, method: 'GET' },
        0.7,
      ),
      await compare(
        'key-value v2 write, against a bare parse-and-answer route',
        { url: secret, method: 'POST', body: payload },
        { url: `${bareWrite.url}/`, method: 'POST', body: payload },
        0.5,
      ),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
