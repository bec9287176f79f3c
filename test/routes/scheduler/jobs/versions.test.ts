import { describe, expect, test } from 'vitest'
import type { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readExample,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'

const path = 'job/example/versions'

/** Registers versions 0, 1 and 2 of a job, with the priorities 50, 51 and 52. */
async function withVersions(count = 3) {
  const served = await frozenScheduler()
  for (let version = 0; version < count; version++) {
    await register(served.scheduler, exampleJob({ Priority: 50 + version }))
  }
  return served
}

const version = (number: number) =>
  readExample({
    Priority: 50 + number,
    Version: number,
    ModifyIndex: 11 + number,
    JobModifyIndex: 11 + number,
  })

const unchangedGroups = [
  {
    Type: 'None',
    Name: 'cache',
    Fields: null,
    Objects: null,
    Tasks: [{ Type: 'None', Name: 'redis', Fields: null, Objects: null, Annotations: null }],
    Updates: null,
  },
]

/** Returns the difference of two versions that `withVersions` registers. */
function difference(before: number, after: number) {
  const priority = {
    Type: 'Edited',
    Name: 'Priority',
    Old: String(50 + before),
    New: String(50 + after),
    Annotations: null,
  }
  return {
    Type: before === after ? 'None' : 'Edited',
    ID: 'example',
    Fields: before === after ? null : [priority],
    Objects: null,
    TaskGroups: unchangedGroups,
  }
}

async function diffsOf(client: SchedulerClient, query: string) {
  return (await requireSuccess(client.get(`${path}?${query}`))).body.Diffs
}

describe('GET /v1/job/:id/versions (behaviour/scheduler#api-job; behaviour/scheduler#jobs, behaviour/scheduler#versions, behaviour/scheduler#diff)', () => {
  test('versions are listed highest first', async () => {
    const { scheduler: client } = await withVersions()
    const reply = await client.get(path)
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      {
        Diffs: null,
        Versions: [version(2), version(1), version(0)],
        Index: 13,
        LastContact: 0,
        KnownLeader: true,
      },
      readHeaders(13),
    ])
  })

  test('diffs=true compares neighbouring pairs, so there is one diff less', async () => {
    const { scheduler: client } = await withVersions()
    const { body } = await client.get(`${path}?diffs=true`)
    expect(body.Versions).toEqual([version(2), version(1), version(0)])
    expect(body.Diffs).toEqual([difference(1, 2), difference(0, 1)])
  })

  test('a single version has no pair', async () => {
    const { scheduler: client } = await withVersions(1)
    expect(await diffsOf(client, 'diffs=true')).toBeNull()
    expect(await diffsOf(client, 'diffs=true&diff_version=0')).toEqual([difference(0, 0)])
  })

  test.for([0, 1, 2])('diff_version=%i compares every version with it', async (old) => {
    const { scheduler: client } = await withVersions()
    expect(await diffsOf(client, `diffs=true&diff_version=${old}`)).toEqual([
      difference(old, 2),
      difference(old, 1),
      difference(old, 0),
    ])
  })

  test('diff_version without diffs=true is ignored, even for an unknown version', async () => {
    const { scheduler: client } = await withVersions()
    for (const query of ['diff_version=0', 'diff_version=9', 'diffs=false&diff_version=9']) {
      expect(await diffsOf(client, query)).toBeNull()
    }
  })

  test('an unknown version cannot be compared', async () => {
    const { scheduler: client } = await withVersions()
    const reply = client.get(`${path}?diffs=true&diff_version=9`)
    expect(await failureOf(reply)).toEqual([500, 'version 9 not found'])
  })

  test('changes below the job', async () => {
    const { scheduler: client } = await frozenScheduler()
    const job = (Count: number, more: Members) => {
      const task = { Name: 'redis', Driver: 'docker', Config: { image: 'redis:7', ports: ['db'] } }
      return exampleJob({ TaskGroups: [{ Name: 'cache', Count, Tasks: [{ ...task, ...more }] }] })
    }
    await register(client, job(1, {}))
    await register(
      client,
      job(2, { Env: { foo: 'bar' }, Config: { image: 'redis:8', ports: ['db'] } }),
    )
    const none = { Annotations: null }
    expect(await diffsOf(client, 'diffs=true')).toEqual([
      {
        Type: 'Edited',
        ID: 'example',
        Fields: null,
        Objects: null,
        TaskGroups: [
          {
            Type: 'Edited',
            Name: 'cache',
            Fields: [{ Type: 'Edited', Name: 'Count', Old: '1', New: '2', ...none }],
            Objects: null,
            Tasks: [
              {
                Type: 'Edited',
                Name: 'redis',
                Fields: [{ Type: 'Added', Name: 'Env[foo]', Old: '', New: 'bar', ...none }],
                Objects: [
                  {
                    Type: 'Edited',
                    Name: 'Config',
                    Fields: [
                      { Type: 'Edited', Name: 'image', Old: 'redis:7', New: 'redis:8', ...none },
                      { Type: 'None', Name: 'ports[0]', Old: 'db', New: 'db', ...none },
                    ],
                    Objects: null,
                  },
                ],
                Annotations: null,
              },
            ],
            Updates: null,
          },
        ],
      },
    ])
  })

  test('the index is the highest ModifyIndex of all versions', async () => {
    const { scheduler: client } = await withVersions()
    await requireSuccess(
      client.post('job/example/stable', { JobID: 'example', JobVersion: 0, Stable: true }),
    )
    const reply = await client.get(path)
    expect([reply.body.Index, apiHeaders(reply)]).toEqual([14, readHeaders(14)])
    expect(reply.body.Versions).toEqual([
      version(2),
      version(1),
      { ...version(0), Stable: true, ModifyIndex: 14 },
    ])
  })

  test('6 are kept: the 7th drops the oldest', async () => {
    const { scheduler: client } = await withVersions(8)
    const { body } = await client.get(path)
    expect(body.Versions.map(({ Version }: Members) => Version)).toEqual([7, 6, 5, 4, 3, 2])
  })

  test('the newest stable version is spared if it is the oldest', async () => {
    const { scheduler: client } = await withVersions(6)
    const stable = { JobID: 'example', JobVersion: 0, Stable: true }
    await requireSuccess(client.post('job/example/stable', stable))
    await register(client, exampleJob({ Priority: 70 }))
    const { body } = await client.get(path)
    expect(body.Versions.map(({ Version }: Members) => Version)).toEqual([6, 5, 4, 3, 2, 0])
  })

  test('an unknown job is 404, whatever the parameters', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const query of ['', '?diffs=true', '?diffs=true&diff_version=9']) {
      const reply = await client.get(path + query)
      expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
        404,
        'job versions not found',
        readHeaders(0),
      ])
    }
  })

  test('a purged job has no versions; the index is that of the table', async () => {
    const { scheduler: client } = await withVersions()
    await requireSuccess(client.delete('job/example?purge=true'))
    const reply = await client.get(path)
    expect([reply.status, apiHeaders(reply)]).toEqual([404, readHeaders(14)])
    await register(client, exampleJob())
    const { body } = await client.get(path)
    expect(body.Versions).toEqual([
      readExample({ CreateIndex: 15, ModifyIndex: 15, JobModifyIndex: 15 }),
    ])
  })
})
