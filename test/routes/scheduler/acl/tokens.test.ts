import { describe, expect, test } from 'vitest'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  readExample,
  register,
  requireSuccess,
} from '../support.ts'

const section = 'behaviour/scheduler#conventions'

describe(`tokens (${section}, Auth)`, () => {
  const denied = [403, 'Permission denied'] as const
  const secret = 'scheduler-management-token'

  test('are ignored with ACLs off', async () => {
    const { as } = await frozenScheduler()
    await requireSuccess(as('nonsense').get('jobs'))
  })

  test.for([
    ['x-sched-token', secret],
    ['x-sched-token', `  ${secret} `],
    ['x-nomad-token', secret],
    ['authorization', `Bearer ${secret}`],
    ['authorization', `bearer   ${secret}`],
  ] as const)('%s: %s is accepted', async ([name, value]) => {
    const { scheduler: client } = await aclScheduler()
    await requireSuccess(client.get('jobs', { headers: { [name]: value } }))
  })

  test.for([
    [{ authorization: secret }],
    [{ authorization: `Basic ${secret}` }],
    [{ authorization: 'Bearer nonsense' }],
    [{ 'x-sched-token': 'nonsense' }],
    [{ 'x-sched-token': 'ffffffff-ffff-ffff-ffff-ffffffffffff' }],
    [{ 'x-sched-token': 'nonsense', authorization: `Bearer ${secret}` }],
    [{}],
  ] as const)('%o is not accepted', async ([headers]) => {
    const { scheduler: client } = await aclScheduler()
    const sent = { headers: Object.fromEntries(Object.entries(headers)) }
    expect(await failureOf(client.get('jobs', sent))).toEqual(denied)
    expect(await failureOf(client.get(`jobs?token=${secret}`, sent))).toEqual(denied)
  })

  const read = 'namespace "default" { policy = "read" }'
  const write = 'namespace "default" { policy = "write" }'
  const capable = (name: string) => `namespace "default" { capabilities = ["${name}"] }`
  const parse = ['POST', 'jobs/parse', { JobHCL: 'job "a" {}' }] as const
  const submit = ['POST', 'jobs', { Job: exampleJob() }] as const
  const override = ['POST', 'jobs', { Job: exampleJob(), PolicyOverride: true }] as const

  test.for([
    [read, 'GET', 'jobs', undefined, true],
    [read, 'GET', 'job/example', undefined, true],
    [read, 'GET', 'job/example/submission?version=0', undefined, true],
    [read, 'GET', 'job/example/versions', undefined, true],
    [read, 'GET', 'job/example/allocations', undefined, true],
    [read, 'GET', 'job/example/evaluations', undefined, true],
    [read, ...parse, true],
    [read, ...submit, false],
    [read, 'DELETE', 'job/example', undefined, false],
    [write, ...submit, true],
    [write, ...override, false],
    [capable('list-jobs'), 'GET', 'jobs', undefined, true],
    [capable('list-jobs'), 'GET', 'job/example', undefined, false],
    [capable('read-job'), 'GET', 'jobs', undefined, false],
    [capable('read-job'), 'GET', 'job/example/submission?version=0', undefined, true],
    [capable('parse-job'), ...parse, true],
    [capable('submit-job'), ...parse, true],
    [capable('read-job'), ...parse, false],
    [capable('submit-job'), ...submit, true],
    [capable('submit-job'), ...override, false],
    [`${capable('submit-job').slice(0, -3)}, "policy-override"] }`, ...override, true],
    [capable('submit-job'), 'GET', 'job/example', undefined, false],
  ] as const)('%s: %s %s %o is allowed: %s', async ([rules, method, path, payload, allowed]) => {
    const { manager, holder } = await aclScheduler()
    await register(manager, exampleJob(), { Submission: { Source: 'job' } })
    const { client } = await holder(rules)
    const reply = await client.request(method, path, payload)
    expect([reply.status, reply.status === 403 ? reply.text : '']).toEqual(
      allowed ? [200, ''] : denied,
    )
  })

  test('a job stores the accessor of the caller who registered it', async () => {
    const { holder } = await aclScheduler()
    const { client, accessor } = await holder(write)
    await register(client, exampleJob())
    expect((await client.get('job/example')).body).toEqual(
      readExample({
        SchedTokenID: accessor,
        CreateIndex: 13,
        ModifyIndex: 13,
        JobModifyIndex: 13,
      }),
    )
  })

  test('validation precedes the permission, which precedes the index', async () => {
    const { scheduler: client } = await aclScheduler()
    const invalid = { Job: exampleJob({ TaskGroups: [] }) }
    expect(await failureOf(client.post('jobs', invalid))).toEqual([
      500,
      '1 error occurred:\n\t* Missing job task groups\n\n',
    ])
    const conflict = { Job: exampleJob(), EnforceIndex: true, JobModifyIndex: 7 }
    expect(await failureOf(client.post('jobs', conflict))).toEqual(denied)
  })

  test('* lists the namespaces with access, and is 403 if there are none', async () => {
    const { manager, holder, scheduler: anonymous } = await aclScheduler()
    for (const Name of ['a', 'b']) await requireSuccess(manager.post('namespace', { Name }))
    for (const Namespace of ['a', 'b', 'default'])
      await register(manager, exampleJob({ Namespace }))
    const { client } = await holder('namespace "a" { policy = "read" }')
    const { body } = await client.get('jobs?namespace=*')
    expect(body.map(({ Namespace }: { Namespace: string }) => Namespace)).toEqual(['a'])
    expect(await failureOf(client.get('jobs'))).toEqual(denied)
    expect(await failureOf(anonymous.get('jobs?namespace=*'))).toEqual(denied)
  })
})
