import { describe, expect, test } from 'vitest'
import { aclScheduler, exampleJob, failureOf, frozenScheduler, register } from './support.ts'

const section = 'behaviour/scheduler#conventions'

describe(`numbers outside the member's type are 400 (${section})`, () => {
  const mistyped = (value: string, place: string, type: string) =>
    `json: cannot unmarshal ${value} into Go struct field ${place} of type ${type}`

  test.for([
    [
      { Affinities: [{ Weight: 200 }] },
      mistyped('number 200', 'Affinity.Job.Affinities.Weight', 'int8'),
    ],
    [{ Spreads: [{ Weight: -129 }] }, mistyped('number -129', 'Spread.Job.Spreads.Weight', 'int8')],
    [
      { Spreads: [{ SpreadTarget: [{ Percent: -1 }] }] },
      mistyped('number -1', 'SpreadTarget.Job.Spreads.SpreadTarget.Percent', 'uint8'),
    ],
  ] as const)('%o', async ([change, text]) => {
    const { scheduler: client } = await frozenScheduler()
    const Job = exampleJob(change)
    for (const path of ['jobs', 'job/example/plan', 'validate/job']) {
      expect(await failureOf(client.post(path, { Job }))).toEqual([400, text])
    }
  })

  test('of the count of a scaling', async () => {
    const { scheduler: client } = await frozenScheduler()
    const body = '{"Count":1.5,"Target":{"Group":"cache"}}'
    expect(await failureOf(client.post('job/example/scale', body))).toEqual([
      400,
      mistyped('number 1.5', 'ScalingRequest.Count', 'int64'),
    ])
  })
})

describe(`the error for a body that is not an object names its type (${section})`, () => {
  const whole = (type: string) => `json: cannot unmarshal number into Go value of type ${type}`

  test.for([
    ['namespace', whole('structs.Namespace')],
    ['acl/policy/p', whole('structs.ACLPolicy')],
    ['job/example/evaluate', whole('structs.JobEvaluateRequest')],
    ['job/example/dispatch', whole('structs.JobDispatchRequest')],
    ['job/example/stable', whole('structs.JobStabilityRequest')],
    ['job/example/revert', whole('structs.JobRevertRequest')],
    ['job/example/versions/t/tag', whole('api.TagVersionRequest')],
    ['deployment/pause/x', whole('structs.DeploymentPauseRequest')],
    ['search', whole('structs.SearchRequest')],
    ['search/fuzzy', whole('structs.FuzzySearchRequest')],
    ['jobs', whole('api.JobRegisterRequest')],
    ['job/example/plan', whole('api.JobPlanRequest')],
    ['validate/job', whole('api.JobValidateRequest')],
    ['jobs/parse', whole('api.JobsParseRequest')],
    ['job/example/scale', whole('api.ScalingRequest')],
    ['jobs/statuses', `error decoding request: ${whole('api.JobStatusesRequest')}`],
    [
      'acl/bootstrap',
      `failed to decode request body: ${whole('structs.ACLTokenBootstrapRequest')}`,
    ],
  ] as const)('POST %s: %s', async ([path, text]) => {
    const { manager } = await aclScheduler()
    expect(await failureOf(manager.post(path, '5'))).toEqual([400, text])
  })

  test('messages about members name no package', async () => {
    const { manager } = await aclScheduler()
    expect(await failureOf(manager.post('namespace', { Name: 5 }))).toEqual([
      400,
      'json: cannot unmarshal number into Go struct field Namespace.Name of type string',
    ])
  })
})

describe(`booleans of lists (${section}; behaviour/scheduler#beyond)`, () => {
  const why = (name: string) =>
    `Failed to parse value of "${name}" (x) as a bool: strconv.ParseBool: parsing "x": invalid syntax`

  test.for(['resources', 'task_states'])('a bad %s of allocations is 500', async (name) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.get(`allocations?${name}=x`))).toEqual([500, why(name)])
  })

  test.for(['resources', 'os'])('a bad %s of nodes is 400', async (name) => {
    const { scheduler: client } = await frozenScheduler()
    const text = `Failed to parse node list fields: ${why(name)}`
    expect(await failureOf(client.get(`nodes?${name}=x`))).toEqual([400, text])
  })

  test('nodes include their resources and their system on request', async () => {
    const { scheduler: client } = await frozenScheduler()
    const first = async (query: string) => (await client.get(`nodes${query}`)).body[0]
    const plain = await first('')
    expect(plain).not.toHaveProperty('NodeResources')
    expect(plain).not.toHaveProperty('Attributes')
    const { NodeResources, ReservedResources } = (await client.get(`node/${plain.ID}`)).body
    expect(await first('?resources=true')).toEqual({ ...plain, NodeResources, ReservedResources })
    const os = await first('?os=t')
    expect(os).toEqual({ ...plain, Attributes: { 'os.name': expect.any(String) } })
  })

  test('allocations include their resources and omit their tasks on request', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    await register(client, exampleJob())
    clock.advance(2000)
    const first = async (query: string) => (await client.get(`allocations${query}`)).body[0]
    const plain = await first('')
    expect(plain.TaskStates).toHaveProperty('redis')
    expect(plain).not.toHaveProperty('AllocatedResources')
    const { AllocatedResources } = (await client.get(`allocation/${plain.ID}`)).body
    expect(await first('?resources=1')).toEqual({ ...plain, AllocatedResources })
    expect(await first('?task_states=false')).toEqual({ ...plain, TaskStates: null })
  })
})

// choice/scheduler#region-of-jobs
test(`validation accepts a missing region but checks a sent one (${section})`, async () => {
  const { scheduler: client } = await frozenScheduler()
  const errors = async (change: object) =>
    (await client.post('validate/job', { Job: exampleJob({ ...change }) })).body.ValidationErrors
  expect(await errors({ Region: 'elsewhere' })).toBeNull()
  expect(await errors({ Region: '' })).toEqual(['Missing job region'])
  expect(await errors({})).toBeNull()
  expect(await errors({ Region: null })).toBeNull()
  expect(await failureOf(client.post('jobs', { Job: exampleJob({ Region: 'x' }) }))).toEqual([
    500,
    'No path to region',
  ])
})

test(`tables without writes have index 0 or 1 (${section}, Blocking)`, async () => {
  const { manager } = await aclScheduler()
  const index = async (path: string) => (await manager.get(path)).headers['x-sched-index']
  const lists = ['allocations', 'evaluations', 'deployments']
  const ofJob = [
    'allocations',
    'evaluations',
    'deployments',
    'deployment',
    'versions',
    'submission',
  ]
  for (const path of [
    'jobs',
    ...lists,
    'job/a',
    ...ofJob.map((each) => `job/a/${each}?version=0`),
  ]) {
    expect([path, await index(path)]).toEqual([path, '0'])
  }
  expect(await index('acl/policies')).toBe('1')
  // A read with index 0 does not wait.
  expect((await manager.get('jobs?index=0&wait=1h')).body).toEqual([])
})

describe(`the caller's own token (${section}, Auth)`, () => {
  test.for([
    [{}, 500, 'acl token lookup failed: missing secret id'],
    [
      { 'x-sched-token': 'x' },
      500,
      'acl token lookup failed: index error: UUID must be 36 characters',
    ],
    [{ 'x-sched-token': 'ffffffff-ffff-4fff-8fff-ffffffffffff' }, 404, 'ACL token not found'],
  ] as const)('with %o is %i: %s', async ([headers, status, text]) => {
    const { scheduler: client } = await aclScheduler()
    const sent = Object.fromEntries(Object.entries(headers))
    expect(await failureOf(client.get('acl/token/self', { headers: sent }))).toEqual([status, text])
    // Other errors do not include the reason.
    if (status === 404) {
      expect(await failureOf(client.get('jobs', { headers: sent }))).toEqual([
        403,
        'Permission denied',
      ])
    }
  })
})

describe(`what comes before an unknown token (${section}, Auth)`, () => {
  const unknown = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
  const mistyped = 'json: cannot unmarshal number into Go'

  test.for([
    ['acl/policy/p', { Name: 'other' }, 400, 'ACL policy name does not match request path'],
    ['acl/policy/p', { Name: 5 }, 400, mistyped],
    ['acl/token', { Name: 5 }, 400, mistyped],
    ['acl/role', { Name: 5 }, 400, mistyped],
  ] as const)('the body of %s %j: %i', async ([path, body, status, text]) => {
    const { as } = await aclScheduler()
    const reply = await as(unknown).post(path, body)
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(text)])
  })

  test('whether an allocation exists is checked after the token', async () => {
    const { as } = await aclScheduler()
    const path = `allocation/${unknown}`
    const denied = [403, 'Permission denied']
    expect(await failureOf(as(unknown).get(path))).toEqual(denied)
    expect(await failureOf(as(unknown).post(`${path}/stop`))).toEqual(denied)
  })
})

describe(`rules of policies (${section}, Auth)`, () => {
  // Capabilities of later releases, which split submit-job.
  const later = [
    ...['register-job', 'revert-job', 'deregister-job', 'purge-job', 'evaluate-job', 'plan-job'],
    ...['tag-job-version', 'stable-job', 'fail-deployment', 'pause-deployment'],
    ...['promote-deployment', 'unblock-deployment', 'cancel-deployment', 'host-volume-read'],
  ]

  test.for([...later, 'nonsense'])(
    'the capability %s does not exist in this release',
    async (name) => {
      const { manager } = await aclScheduler()
      const Rules = `namespace "default" { capabilities = ["${name}"] }`
      expect(await failureOf(manager.post('acl/policy/p', { Name: 'p', Rules }))).toEqual([
        400,
        `policy 0 invalid: 1 error occurred:\n\t* failed to parse rules: Invalid namespace capability '${name}': &acl.NamespacePolicy{Name:"default", Policy:"", Capabilities:[]string{"${name}"}, Variables:(*acl.VariablesPolicy)(nil)}\n\n`,
      ])
    },
  )

  test('list is not a short form of a namespace policy', async () => {
    const { manager } = await aclScheduler()
    const Rules = 'namespace "default" { policy = "list" }'
    expect(await failureOf(manager.post('acl/policy/p', { Name: 'p', Rules }))).toEqual([
      400,
      'policy 0 invalid: 1 error occurred:\n\t* failed to parse rules: Invalid namespace policy: &acl.NamespacePolicy{Name:"default", Policy:"list", Capabilities:[]string(nil), Variables:(*acl.VariablesPolicy)(nil)}\n\n',
    ])
  })
})

test(`with ACLs off anyone may register (${section})`, async () => {
  const { scheduler: client } = await frozenScheduler({ options: { rejectJobRegistration: true } })
  await register(client, exampleJob())
})

test('an open bootstrap begins without tokens (behaviour/scheduler#beyond)', async () => {
  const { manager, scheduler: client, as } = await aclScheduler({ options: { bootstrap: 'open' } })
  expect(await failureOf(manager.get('jobs'))).toEqual([403, 'Permission denied'])
  const { body } = await client.post('acl/bootstrap')
  expect(body).toMatchObject({ Name: 'Bootstrap Token', Type: 'management', Global: true })
  expect((await as(body.SecretID).get('acl/tokens')).body).toHaveLength(1)
})
