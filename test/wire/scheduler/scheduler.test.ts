import { describe, expect, test } from 'vitest'
import { start } from '../../support/command.ts'
import { type Answer, requestText, WireClient } from '../wire-client.ts'

const section = 'behaviour/scheduler#conventions'
const withoutJitter = { UNDERSTUDY_OPTIONS: '{"scheduler":{"waitJitter":false}}' }
const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }

/** Returns the body of a registration. */
const body = (job: object = {}, more: object = {}) =>
  JSON.stringify({ Job: { ID: 'web', TaskGroups: [group], ...job }, ...more })

/** Starts the built command with a frozen clock, so that only requests cause changes. */
async function started(argv: readonly string[] = [], clock = 'frozen') {
  const server = await start(['--port=0', `--clock=${clock}`, ...argv], withoutJitter)
  const port = Number(new URL(server.origins.scheduler).port)
  return { ...server, port, open: () => WireClient.open({ port }) }
}

const read = (path: string, headers = '') => requestText('GET', `/v1/${path}`, '', headers)

describe(`blocking reads on sockets (${section}, Blocking)`, () => {
  test('a read waits for a write on another connection, and its connection stays open', async () => {
    const { open } = await started()
    const [reader, lister, writer] = [await open(), await open(), await open()]
    const first = await writer.exchange(requestText('POST', '/v1/jobs', body()))
    const index = Number(first.headers['x-sched-index'])
    expect([first.status, index]).toEqual([200, 11])
    await reader.send(read(`job/web?index=${index}`))
    await lister.send(read(`jobs?index=${index}`))
    // Both blocking reads are registered before this answer arrives.
    expect((await writer.exchange(read(`job/web?index=${index - 1}`))).status).toBe(200)
    expect([reader.unread, lister.unread]).toEqual(['', ''])
    await writer.exchange(requestText('PUT', '/v1/jobs', body({ ID: 'other' })))
    const list = await lister.answer()
    expect([list.headers['x-sched-index'], JSON.parse(list.body).length]).toEqual(['12', 2])
    expect(reader.unread).toBe('')
    await writer.exchange(requestText('PUT', '/v1/jobs', body({ Priority: 60 })))
    const job = await reader.answer()
    expect([job.headers['x-sched-index'], JSON.parse(job.body).Version]).toEqual(['13', 1])
    for (const client of [reader, lister]) {
      const again = await client.exchange(read('job/absent'))
      expect([again.status, again.body, again.headers['x-sched-index']]).toEqual([
        404,
        'job not found',
        '13',
      ])
    }
  })

  test('a read ends after its wait, with the current data', async () => {
    const { open } = await started([], 'real')
    const client = await open()
    const begin = performance.now()
    const { status, headers, body: text } = await client.exchange(read('jobs?index=5000&wait=60ms'))
    expect([status, headers['x-sched-index'], text]).toEqual([200, '0', '[]'])
    expect(performance.now() - begin).toBeGreaterThanOrEqual(59)
  })

  test('SIGTERM ends reads with the current data', async () => {
    const { open, stop } = await started()
    const [one, many] = [await open(), await open()]
    await one.send(read('job/absent?index=99'))
    await many.send(read('jobs?index=99'))
    await (await open()).exchange(read('jobs'))
    const ended = stop('SIGTERM')
    const answers = [await one.answer(), await many.answer()]
    expect(answers.map(({ status, body: text }) => [status, text])).toEqual([
      [404, 'job not found'],
      [200, '[]'],
    ])
    expect((await ended).code).toBe(0)
  })

  test('reads of disconnected clients are dropped', async () => {
    const { open, stop } = await started()
    const [leaver, writer] = [await open(), await open()]
    await leaver.send(read('jobs?index=99'))
    leaver.socket.destroy()
    expect((await writer.exchange(requestText('POST', '/v1/jobs', body()))).status).toBe(200)
    expect((await stop('SIGTERM')).code).toBe(0)
  })
})

describe(`requests on sockets (${section})`, () => {
  test('one connection can serve reads and writes in turn', async () => {
    const { open } = await started()
    const client = await open()
    const requests = [
      requestText('POST', '/v1/jobs', body()),
      read('job/web'),
      requestText('PUT', '/v1/job/web', body({ Priority: 60 })),
      read('job/web/versions'),
      requestText('DELETE', '/v1/job/web?purge=true'),
      read('job/web'),
      requestText('PATCH', '/v1/jobs', '{}'),
    ]
    const answers: Answer[] = []
    for (const request of requests) answers.push(await client.exchange(request))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404, 405])
    expect(JSON.parse(answers[3]?.body ?? '').Versions).toHaveLength(2)
  })

  test('PUT and POST are equivalent on every path that writes', async () => {
    const results: unknown[] = []
    for (const verb of ['POST', 'PUT']) {
      const { open } = await started(['--seed=s', '--scheduler-port=0'])
      const client = await open()
      const hcl = JSON.stringify({ JobHCL: 'job "x" {}', Canonicalize: true })
      const job = { JobID: 'web' }
      const requests: readonly (readonly [string, string])[] = [
        ['jobs', body()],
        ['job/web', body({ Priority: 60 })],
        ['jobs/parse', hcl],
        ['job/web/plan', body({}, { Diff: true })],
        ['validate/job', body()],
        ['job/web/evaluate', JSON.stringify(job)],
        ['job/web/stable', JSON.stringify({ ...job, JobVersion: 1, Stable: true })],
        ['job/web/revert', JSON.stringify({ ...job, JobVersion: 0 })],
        ['namespace', '{"Name":"n"}'],
      ]
      const answers = []
      for (const [path, sent] of requests) {
        const answer = await client.exchange(requestText(verb, `/v1/${path}`, sent))
        expect([path, answer.status]).toEqual([path, 200])
        answers.push(answer.body)
      }
      results.push(answers)
    }
    expect(results[0]).toEqual(results[1])
  })

  test('IDs may contain slashes and other characters, escaped or not', async () => {
    const { open } = await started()
    const client = await open()
    for (const ID of ['team/web', 'a%b', 'ü/versions/x', 'x?y', '__proto__']) {
      const escaped = encodeURIComponent(ID)
      const put = await client.exchange(requestText('PUT', `/v1/job/${escaped}`, body({ ID })))
      expect([ID, put.status]).toEqual([ID, 200])
      for (const suffix of ['', '/versions', '/allocations', '/evaluations', '/summary']) {
        const { status, body: text } = await client.exchange(read(`job/${escaped}${suffix}`))
        expect([ID, suffix, status]).toEqual([ID, suffix, 200])
        expect(text).toMatch(suffix === '/allocations' ? /^\[\]$/ : /\S/)
      }
    }
    expect(JSON.parse((await client.exchange(read('job/team/web'))).body).ID).toBe('team/web')
    expect(
      JSON.parse((await client.exchange(read('job/team/web/versions'))).body).Versions,
    ).toHaveLength(1)
  })

  test('a job of 5 MB can be written and read', async () => {
    const { open } = await started()
    const client = await open()
    const big = 'x'.repeat(5_000_000)
    const sent = body({ Meta: { big } })
    expect((await client.exchange(requestText('POST', '/v1/jobs', sent))).status).toBe(200)
    expect(JSON.parse((await client.exchange(read('job/web'))).body).Meta.big).toBe(big)
  })

  test('a submission of more than 1 MB is dropped with a warning (behaviour/scheduler#versions)', async () => {
    const { open } = await started()
    const client = await open()
    const submit = (length: number) => {
      const Submission = { Source: 'x'.repeat(length), Format: 'hcl2' }
      return requestText('POST', '/v1/jobs', body({ Priority: length % 97 || 1 }, { Submission }))
    }
    const kept = JSON.parse((await client.exchange(submit(1_000_000))).body)
    expect(kept.Warnings).toBe('')
    const dropped = JSON.parse((await client.exchange(submit(1_200_000))).body)
    expect(dropped.Warnings).toBe(
      '1 warning:\n\n* job source size of 1.2 MB exceeds maximum of 1.0 MB and will be discarded',
    )
    expect((await client.exchange(read('job/web/submission?version=0'))).status).toBe(200)
    const gone = await client.exchange(read('job/web/submission?version=1'))
    expect([gone.status, gone.body]).toEqual([404, 'job source not found'])
  })

  test("the vendor dialect uses the vendor's headers (behaviour/scheduler#vendor-names)", async () => {
    const { open } = await started(['--dialect=vendor', '--acl'])
    const client = await open()
    const reply = await client.exchange(
      read('jobs', 'X-Nomad-Token: scheduler-management-token\r\n'),
    )
    expect([reply.status, reply.headers['x-nomad-index'], reply.headers['x-sched-index']]).toEqual([
      200,
      '0',
      undefined,
    ])
  })
})

describe('listeners and flags (behaviour/program#http and behaviour/program#command)', () => {
  test('--acl refuses requests without a token, and the management token may do everything', async () => {
    const { open } = await started(['--acl'])
    const client = await open()
    const refused = await client.exchange(read('jobs'))
    expect([refused.status, refused.body, refused.headers['content-type']]).toEqual([
      403,
      'Permission denied',
      'text/plain; charset=utf-8',
    ])
    for (const header of [
      'X-Sched-Token: scheduler-management-token',
      'Authorization: Bearer scheduler-management-token',
    ]) {
      expect((await client.exchange(read('jobs', `${header}\r\n`))).status).toBe(200)
    }
    const unknown = await client.exchange(read('jobs', 'X-Sched-Token: x\r\n'))
    expect([unknown.status, unknown.body]).toEqual([403, 'Permission denied'])
  })

  test('the scheduler serves all paths on its own port, and the specified ones on the shared port', async () => {
    const { origins, open } = await started(['--scheduler-port=0'])
    expect(origins.scheduler).not.toBe(origins.secrets)
    const own = await open()
    const shared = await WireClient.open({ port: Number(new URL(origins.secrets).port) })
    expect((await own.exchange(requestText('POST', '/v1/jobs', body()))).status).toBe(200)
    expect(JSON.parse((await shared.exchange(read('job/web'))).body).ID).toBe('web')
    for (const path of ['nodes', 'allocations', 'status/leader', 'regions', 'acl/policies']) {
      const here = await own.exchange(read(path))
      expect([path, here.status]).toEqual([path, path === 'acl/policies' ? 400 : 200])
      expect((await shared.exchange(read(path))).headers['x-sched-index']).toBeUndefined()
    }
    expect(JSON.parse((await own.exchange(read('namespaces'))).body)).toMatchObject([
      { Name: 'default', Description: 'Default shared namespace' },
    ])
    const mesh = await shared.exchange(read('namespaces'))
    expect(mesh.headers['x-mesh-index']).toBeDefined()
    expect((await own.exchange(read('kv/a'))).status).toBe(404)
  })

  test('the cluster of --fixtures runs when the ready line is printed', async () => {
    const document = { scheduler: { jobs: [JSON.parse(body()).Job], nodes: [{ name: 'only' }] } }
    const server = await start(['--port=0', '--scheduler-port=0'], {
      UNDERSTUDY_FIXTURES: JSON.stringify(document),
    })
    const client = await WireClient.open({ port: Number(new URL(server.origins.scheduler).port) })
    expect(JSON.parse((await client.exchange(read('nodes'))).body)).toMatchObject([
      { Name: 'only' },
    ])
    // The job starts by itself on the real clock.
    let index = 1
    let status = ''
    while (status !== 'running') {
      const { headers, body: text } = await client.exchange(
        read(`job/web/allocations?index=${index}`),
      )
      index = Number(headers['x-sched-index'])
      status = JSON.parse(text)[0]?.ClientStatus ?? ''
    }
    expect(status).toBe('running')
  })

  test('refused fixtures make the start fail with their location', async () => {
    const document = { scheduler: { jobs: ['job {'] } }
    await expect(
      start(['--port=0'], { UNDERSTUDY_FIXTURES: JSON.stringify(document) }),
    ).rejects.toThrow(/code 2 .*\/scheduler\/jobs\/0 Failed to parse job/s)
  })
})
