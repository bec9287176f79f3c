import { describe, expect, test } from 'vitest'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'

const path = 'job/example/submission'
const unreadable = [400, 'Unable to parse job submission version parameter'] as const
const none = [404, 'job source not found'] as const

const submission = (Source: string) => ({ Submission: { Source, Format: 'hcl2' } })
const versioned = (version: number, change: Members = {}) =>
  exampleJob({ Priority: version + 1, ...change })

describe('GET /v1/job/:id/submission (behaviour/scheduler#api-jobs; behaviour/scheduler#jobs, behaviour/scheduler#versions)', () => {
  test('a submission is the source of a version, with the index of its commit', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, versioned(0), submission('zero'))
    await register(client, versioned(1), submission('one'))
    for (const [version, Source] of ['zero', 'one'].entries()) {
      const reply = await client.get(`${path}?version=${version}`)
      expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
        200,
        {
          Format: 'hcl2',
          Source,
          VariableFlags: null,
          Variables: '',
          JobIndex: 11 + version,
          JobID: 'example',
          Namespace: 'default',
          Version: version,
        },
        readHeaders(11 + version),
      ])
    }
  })

  test.for([
    '',
    '?version=',
    '?version=x',
    '?version=-1',
    '?version=1.5',
    '?version=+1',
    '?version=18446744073709551616',
  ])('%j is not a version: 400, whatever the method and the job', async (query) => {
    const { scheduler: client } = await frozenScheduler()
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      expect(await failureOf(client.request(method, path + query))).toEqual(unreadable)
    }
  })

  test('with a valid version a wrong method is 405', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const reply = await client.request(method, `${path}?version=0`)
      expect([method, reply.status]).toEqual([method, 405])
    }
  })

  test('an unknown job, a missing source and an unknown version are 404', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.get(`${path}?version=0`))).toEqual(none)
    await register(client, versioned(0))
    expect(await failureOf(client.get(`${path}?version=0`))).toEqual(none)
    await register(client, versioned(1), submission('one'))
    expect(await failureOf(client.get(`${path}?version=2`))).toEqual(none)
    expect(await failureOf(client.get(`${path}?version=1&namespace=x`))).toEqual(none)
    expect((await client.get(`${path}?version=01`)).body.Source).toBe('one')
  })

  test('the last 6 sources are kept', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (let version = 0; version < 8; version++) {
      await register(client, versioned(version), submission(`source ${version}`))
    }
    for (let version = 0; version < 8; version++) {
      const reply = await client.get(`${path}?version=${version}`)
      expect([version, reply.status]).toEqual([version, version < 2 ? 404 : 200])
    }
  })

  test('a purge deletes the sources, and a new job with the ID has none', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, versioned(0), submission('old'))
    await requireSuccess(client.delete('job/example?purge=true'))
    expect(await failureOf(client.get(`${path}?version=0`))).toEqual(none)
    await register(client, versioned(0))
    expect(await failureOf(client.get(`${path}?version=0`))).toEqual(none)
  })

  test('stop and revert copy the source', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, versioned(0), submission('zero'))
    await register(client, versioned(1), submission('one'))
    await requireSuccess(client.delete('job/example'))
    expect((await client.get(`${path}?version=2`)).body).toMatchObject({
      Source: 'one',
      Version: 2,
    })
    await requireSuccess(client.post('job/example/revert', { JobID: 'example', JobVersion: 0 }))
    expect((await client.get(`${path}?version=3`)).body).toMatchObject({
      Source: 'zero',
      Version: 3,
      JobIndex: 14,
    })
  })

  test('in the neutral dialect a registration without a source stores none', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, versioned(0), submission('zero'))
    await register(client, versioned(1))
    expect(await failureOf(client.get(`${path}?version=1`))).toEqual(none)
  })
})
