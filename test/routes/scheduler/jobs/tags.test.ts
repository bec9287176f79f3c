import { describe, expect, test } from 'vitest'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  register,
  requireSuccess,
} from '../support.ts'

/** Registers a job with two versions. */
async function versioned() {
  const served = await frozenScheduler()
  const { scheduler: api } = served
  await register(api, exampleJob())
  await register(api, exampleJob({ Priority: 60 }))
  const tags = async () => {
    const { Versions } = (await requireSuccess(api.get('job/example/versions'))).body
    return Versions.map(({ Version, VersionTag }: Job) => [Version, VersionTag?.Name ?? null])
  }
  return { ...served, api, tags }
}

describe('tags of versions (behaviour/scheduler#deployments)', () => {
  test('are shown by the version, and by the job if it is the current one', async () => {
    const { api, clock, tags } = await versioned()
    const reply = await requireSuccess(
      api.put('job/example/versions/good/tag', { Version: 1, Description: 'keep' }),
    )
    const TaggedTime = clock.now() * 1e6
    expect([reply.body, apiHeaders(reply)]).toEqual([
      {
        Name: 'good',
        Description: 'keep',
        TaggedTime,
        Index: 13,
        LastContact: 0,
        KnownLeader: false,
        NextToken: '',
      },
      {},
    ])
    expect((await api.get('job/example')).body).toMatchObject({
      VersionTag: { Name: 'good', Description: 'keep', TaggedTime },
      Version: 1,
      ModifyIndex: 13,
      JobModifyIndex: 12,
    })
    expect(await tags()).toEqual([
      [1, 'good'],
      [0, null],
    ])
  })

  test('apply to version 0 by default, and to one version each', async () => {
    const { api, tags } = await versioned()
    await requireSuccess(api.post('job/example/versions/first/tag', {}))
    await requireSuccess(api.post('job/example/versions/first/tag', { Description: 'again' }))
    expect(await tags()).toEqual([
      [1, null],
      [0, 'first'],
    ])
    expect((await api.get('job/example')).body).toMatchObject({ VersionTag: null })
    expect(await failureOf(api.post('job/example/versions/first/tag', { Version: 1 }))).toEqual([
      500,
      'tag "first" already exists on a different version of job "example"',
    ])
    await requireSuccess(api.post('job/example/versions/other/tag', {}))
    expect((await tags())[1]).toEqual([0, 'other'])
  })

  test('can be removed', async () => {
    const { api, tags } = await versioned()
    await requireSuccess(api.post('job/example/versions/first/tag', {}))
    const { body } = await requireSuccess(api.delete('job/example/versions/first/tag'))
    expect(body).toMatchObject({ Name: '', Description: '', TaggedTime: 0, Index: 14 })
    expect((await tags())[1]).toEqual([0, null])
    expect(await failureOf(api.delete('job/example/versions/first/tag'))).toEqual([
      500,
      'tag "first" not found on job "example"',
    ])
  })

  test.each([
    ['example', undefined, 400, 'Request body is empty'],
    ['example', { Version: 9 }, 500, 'job "example" version 9 not found'],
    ['none', {}, 500, 'job "none" version 0 not found'],
    ['a/b', {}, 404, 'invalid job tag endpoint'],
  ])('of %s with %j are refused', async (id, body, status, text) => {
    const { api } = await versioned()
    expect(await failureOf(api.post(`job/${id}/versions/x/tag`, body))).toEqual([status, text])
  })

  test('other methods are 405', async () => {
    const { api } = await versioned()
    expect(await failureOf(api.get('job/example/versions/x/tag'))).toEqual([405, 'Invalid method'])
  })

  test('are not copied by a revert, and are deleted by a purge', async () => {
    const { api, tags } = await versioned()
    await requireSuccess(api.post('job/example/versions/first/tag', {}))
    await requireSuccess(api.post('job/example/revert', { JobID: 'example', JobVersion: 0 }))
    expect(await tags()).toEqual([
      [2, null],
      [1, null],
      [0, 'first'],
    ])
    await requireSuccess(api.delete('job/example?purge=true'))
    await register(api, exampleJob())
    expect(await tags()).toEqual([[0, null]])
  })

  test('behaviour/scheduler#differences: an absent VersionTag is null, also in a parsed job', async () => {
    const { api } = await versioned()
    const JobHCL = 'job "x" {\n}'
    const { body } = await requireSuccess(api.post('jobs/parse', { JobHCL }))
    expect(body).toHaveProperty('VersionTag', null)
  })
})
