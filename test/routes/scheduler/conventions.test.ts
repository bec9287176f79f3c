import { describe, expect, test, vi } from 'vitest'
import { schedulerDialect } from '../../../routes/scheduler/dialect.ts'
import { renderRefusal, schedulerApi } from '../../../routes/scheduler/index.ts'
import { secretsApi } from '../../../routes/secrets/index.ts'
import { buildApp } from '../../../src/server/app.ts'
import { Refusal, type RefusalDetails } from '../../../state/kernel/refusal.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { SchedulerClient } from '../../support/scheduler/scheduler.ts'
import {
  aclScheduler,
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  readExample,
  readHeaders,
  register,
  requireSuccess,
  textType,
} from './support.ts'

const section = 'behaviour/scheduler#conventions'

const neutral = schedulerDialect('neutral')

function refusalOf(text: string, detail: RefusalDetails = {}): Refusal {
  return new Refusal('conflict', { rule: 'x', template: '{text}', params: { text } }, detail)
}

describe(`errors (${section})`, () => {
  test.for([
    ['400, what the HTTP layer finds', 'POST', 'jobs', '{}', 400, 'Job must be specified'],
    ['404', 'GET', 'job/absent', undefined, 404, 'job not found'],
    [
      '500, what the server behind it finds: also mistakes of the caller',
      'POST',
      'jobs',
      '{"Job":{"ID":"a","TaskGroups":[]}}',
      500,
      '1 error occurred:\n\t* Missing job task groups\n\n',
    ],
    [
      '500, index conflicts',
      'POST',
      'jobs',
      { Job: exampleJob(), EnforceIndex: true, JobModifyIndex: 7 },
      500,
      'Enforcing job modify index 7: job does not exist',
    ],
    ['405', 'PATCH', 'jobs', undefined, 405, 'Invalid method'],
  ] as const)('%s', async ([, method, path, payload, status, text]) => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.request(method, `${path}?pretty`, payload)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([
      status,
      text,
      textType,
    ])
    expect(reply.headers['allow']).toBeUndefined()
  })

  test.for([
    ['Permission denied', 403, 'Permission denied'],
    ['rpc error: Permission denied', 403, 'Permission denied'],
    ['Permission denied: no', 500, 'Permission denied: no'],
    [
      'x: Job registration, dispatch, and scale are disabled by the scheduler configuration',
      403,
      'Job registration, dispatch, and scale are disabled by the scheduler configuration',
    ],
    ['anything else', 500, 'anything else'],
  ] as const)('without a code the end of the text decides: %s', ([text, status, body]) => {
    expect(renderRefusal(refusalOf(text), neutral)).toEqual({ status, text: body })
  })

  test('the status of an error that carries one is kept', () => {
    const refusal = refusalOf('Permission denied', { status: 429 })
    expect(renderRefusal(refusal, neutral)).toEqual({ status: 429, text: 'Permission denied' })
  })

  test('closed registration is 403', async () => {
    const { holder } = await aclScheduler({ options: { rejectJobRegistration: true } })
    const { client } = await holder('namespace "default" { policy = "write" }')
    expect(await failureOf(client.post('jobs', { Job: exampleJob() }))).toEqual([
      403,
      'Job registration, dispatch, and scale are disabled by the scheduler configuration',
    ])
  })

  // choice/scheduler#scheduler-unexpected
  test('an unexpected error is 500 and does not stop the server', async () => {
    const { scheduler: client, world } = await frozenScheduler()
    const write = vi.spyOn(world, 'write').mockImplementation(() => {
      throw new TypeError('of the program')
    })
    const reply = await client.post('jobs', { Job: exampleJob() })
    write.mockRestore()
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([
      500,
      'internal server error',
      textType,
    ])
    expect((await client.get('jobs')).body).toEqual([])
  })
})

describe(`methods and paths (${section})`, () => {
  const onlyReads = ['job/a/deployments', 'job/a/allocations', 'job/a/evaluations']
  const onlyWrites = [
    'jobs/parse',
    'validate/job',
    'job/a/plan',
    'job/a/evaluate',
    'job/a/dispatch',
    'job/a/periodic/force',
    'job/a/revert',
    'job/a/stable',
  ]

  test.for([
    ['/v1//jobs', '/v1/jobs'],
    ['/v1/job//a/plan?x=1', '/v1/job/a/plan?x=1'],
    ['/_world/default/v1//jobs', '/_world/default/v1/jobs'],
  ] as const)('%s is redirected to %s for any method (301)', async ([path, location]) => {
    const { scheduler: client } = await frozenScheduler()
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const { status, headers, text } = await client.request(method, path)
      expect([status, headers.location]).toEqual([301, location])
      const link = `<a href="${location}">Moved Permanently</a>.\n\n`
      expect(text).toBe(method === 'GET' ? link : '')
    }
  })

  // choice/scheduler#scheduler-head-and-options
  test.for([
    ...['HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'LIST', 'HELP'].map(
      (verb) => [verb, 'jobs'] as const,
    ),
    ...['HEAD', 'OPTIONS', 'PATCH'].map((verb) => [verb, 'job/a'] as const),
    ...onlyReads.flatMap((path) =>
      ['POST', 'PUT', 'DELETE', 'HEAD'].map((verb) => [verb, path] as const),
    ),
    ...onlyWrites.flatMap((path) => ['GET', 'DELETE', 'HEAD'].map((verb) => [verb, path] as const)),
    ['DELETE', 'job/a/scale'],
    ['DELETE', 'jobs/statuses'],
    ['POST', 'job/a/submission?version=0'],
  ] as const)('%s /v1/%s is 405', async ([method, path]) => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.request(method, path, '{}')
    const text = 'Invalid method'
    expect([reply.status, reply.text, reply.headers['allow']]).toEqual([405, text, undefined])
  })

  test.for(['', 'nothing', 'jobs/', 'jobs/x', 'jobsx', 'jobs/parse/x', 'validate'])(
    'the unknown path /v1/%s is 404 with an empty body',
    async (path) => {
      const { scheduler: client } = await frozenScheduler()
      for (const method of ['GET', 'POST', 'DELETE']) {
        const reply = await client.request(method, path, '{}')
        expect([reply.status, reply.text]).toEqual([404, ''])
      }
    },
  )

  test('PUT and POST are the same on every path that writes', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.put('jobs', { Job: exampleJob() }))
    await requireSuccess(client.put('job/example', { Job: exampleJob({ Priority: 60 }) }))
    await requireSuccess(client.put('job/example/plan', { Job: exampleJob() }))
    await requireSuccess(client.put('validate/job', { Job: exampleJob() }))
    await requireSuccess(client.put('job/example/evaluate'))
    await requireSuccess(client.put('job/example/revert', { JobID: 'example', JobVersion: 0 }))
    await requireSuccess(client.put('job/example/stable', { JobID: 'example', Stable: true }))
    await requireSuccess(client.put('job/example/scale', { Target: { Group: 'cache' }, Count: 2 }))
    await requireSuccess(client.put('jobs/parse', { JobHCL: 'job "a" {}' }))
    const { body } = await client.get('job/example/versions')
    expect(body.Versions.map(({ Version }: { Version: number }) => Version)).toEqual([3, 2, 1, 0])
  })

  test.for([
    ['a/b', 'a/b'],
    ['a/b', 'a%2Fb'],
    ['a/versions/b', 'a%2fversions%2fb'],
    ['versions', 'versions'],
    ['ä & b?#'.replaceAll(' ', ''), encodeURIComponent('ä&b?#')],
    ['100%', '100%25'],
    ['a+b', 'a+b'],
    ['a.b', 'a.b'],
  ] as const)('the job "%s" is at /v1/job/%s', async ([ID, path]) => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post(`job/${path}`, { Job: exampleJob({ ID }) }))
    expect((await client.get(`job/${path}`)).body.ID).toBe(ID)
    expect((await client.get(`job/${path}/summary`)).body.JobID).toBe(ID)
    expect((await client.get(`job/${path}/versions`)).body.Versions[0].ID).toBe(ID)
    await requireSuccess(client.delete(`job/${path}?purge=true`))
    expect((await client.get('jobs')).body).toEqual([])
  })

  test('the end of a path decides, so a job "a/versions" cannot be read by its own path', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ ID: 'a/versions' }))
    expect(await failureOf(client.get('job/a/versions'))).toEqual([404, 'job versions not found'])
    expect((await client.get('job/a/versions/summary')).body.JobID).toBe('a/versions')
  })

  // choice/scheduler#scheduler-bad-path
  test('a path that cannot be decoded is 400', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.get('job/%zz')
    expect([reply.status, reply.headers['content-type']]).toEqual([400, textType])
  })

  test('each world has its own scheduler (behaviour/program#worlds)', async () => {
    const { scheduler: client, worlds } = await frozenScheduler()
    worlds.create({ id: 'other' })
    await requireSuccess(client.post('/_world/other/v1/jobs', { Job: exampleJob() }))
    expect((await client.get('jobs')).body).toEqual([])
    expect((await client.get('/_world/other/v1/job/example')).body.ID).toBe('example')
    expect(await failureOf(client.get('/_world/none/v1/jobs'))).toEqual([
      404,
      'there is no world "none"',
    ])
  })

  test('a shared port serves only the specified paths (behaviour/program#http)', async () => {
    const worlds = new Worlds({ services: [secretsService, schedulerService], seed: 'test' })
    const dialect = 'neutral'
    const apis = [secretsApi({ dialect }), schedulerApi({ dialect, isDedicated: false })]
    const app = buildApp({ worlds, apis, log: false })
    const client = new SchedulerClient(app)
    await requireSuccess(client.post('jobs', { Job: exampleJob() }))
    for (const path of ['jobs', 'job/example', 'job/example/allocations', 'jobs/statuses']) {
      await requireSuccess(client.get(path))
    }
    await requireSuccess(client.post('jobs/parse', { JobHCL: 'job "a" {}' }))
    expect(await failureOf(client.get('jobs/x'))).toEqual([404, ''])
    expect(await failureOf(client.get('jobs/parse'))).toEqual([405, 'Invalid method'])
    for (const path of ['namespaces', 'nodes', 'allocations', 'evaluations', 'jobsx', 'regions']) {
      const { status, body } = await client.get(path)
      expect([status, Object.keys(body)]).toEqual([403, ['errors']])
    }
    worlds.close()
    await app.close()
  })

  test('a port of its own serves all of /v1', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const path of ['namespaces', 'nodes', 'allocations', 'evaluations', 'regions']) {
      await requireSuccess(client.get(path))
    }
  })
})

describe(`success (${section})`, () => {
  test('is compact JSON; ?pretty with any value but 0 indents it by 4 and ends the line', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(
      client.post('job/example', {
        Job: exampleJob(),
        Submission: { Source: 'a < b & c', Format: 'hcl2' },
      }),
    )
    const path = 'job/example/submission?version=0'
    const compact =
      '{"Format":"hcl2","Source":"a < b & c","VariableFlags":null,"Variables":"","JobIndex":11,"JobID":"example","Namespace":"default","Version":0}'
    const pretty = `{
    "Format": "hcl2",
    "Source": "a < b & c",
    "VariableFlags": null,
    "Variables": "",
    "JobIndex": 11,
    "JobID": "example",
    "Namespace": "default",
    "Version": 0
}
`
    for (const query of ['', '&pretty=0']) {
      const reply = await client.get(path + query)
      expect([reply.text, reply.headers['content-type']]).toEqual([compact, 'application/json'])
    }
    for (const query of ['&pretty', '&pretty=', '&pretty=1', '&pretty=false', '&pretty=true']) {
      expect((await client.get(path + query)).text).toBe(pretty)
    }
  })

  test('unset members are null, empty lists at top level are lists', async () => {
    const { scheduler: client } = await frozenScheduler()
    const empty = { Constraints: [], Meta: {}, Affinities: null, Spreads: [] }
    await register(client, exampleJob({ ...empty, Datacenters: [] }))
    expect((await client.get('job/example')).body).toEqual(readExample())
    for (const path of ['jobs?prefix=x', 'job/x/allocations', 'job/x/evaluations']) {
      expect((await client.get(path)).text).toBe('[]')
    }
    expect((await client.get('jobs?prefix=x&pretty')).text).toBe('[]\n')
  })
})

describe(`headers (${section})`, () => {
  // choice/scheduler#scheduler-answers-without-index
  test('reads have three headers, writes only the index', async () => {
    const { scheduler: client } = await frozenScheduler()
    const write = await client.post('jobs', { Job: exampleJob() })
    expect(apiHeaders(write)).toEqual({ 'x-sched-index': '11' })
    for (const path of [
      'jobs',
      'job/example',
      'job/example/versions',
      'job/example/summary',
      'job/example/evaluations',
      'job/example/scale',
      'jobs/statuses',
    ]) {
      const reply = await client.get(path)
      expect([path, reply.status, apiHeaders(reply)]).toEqual([path, 200, readHeaders(11)])
    }
    expect(apiHeaders(await client.delete('job/example'))).toEqual({ 'x-sched-index': '12' })
    expect(apiHeaders(await client.delete('job/absent'))).toEqual({ 'x-sched-index': '0' })
  })

  test.for([
    ['job/absent', 'job not found', 11],
    ['job/absent/summary', 'job not found', 11],
    ['job/absent/scale', 'job not found', 11],
    ['job/absent/versions', 'job versions not found', 11],
    ['job/example/submission?version=0', 'job source not found', 0],
  ] as const)('the 404 of %s has read headers', async ([path, text, index]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const reply = await client.get(path)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([404, text, readHeaders(index)])
  })

  test('the index of jobs is 0 before the first write', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(apiHeaders(await client.get('jobs'))).toEqual(readHeaders(0))
  })

  test('other failures have no headers', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(apiHeaders(await client.get('jobs?index=x'))).toEqual({})
    expect(apiHeaders(await client.post('jobs', '{}'))).toEqual({})
    expect(apiHeaders(await client.get('nothing'))).toEqual({})
  })
})
