import { describe, expect, test } from 'vitest'
import { unknownId } from './cluster/support.ts'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  readExample,
  register,
  requireSuccess,
} from './support.ts'

const section = 'behaviour/scheduler#conventions'

describe(`bodies (${section})`, () => {
  const job = JSON.stringify(exampleJob())

  test.for([
    ['', 'Request body is empty'],
    [' \n', 'EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{"Job":', 'unexpected EOF'],
    // The body may also end within a word or number.
    ['nul', 'unexpected EOF'],
    ['{"Job":tr', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['{"Job":5.', 'unexpected EOF'],
    ['nul ', "invalid character ' ' in literal null (expecting 'l')"],
    ['5.x', "invalid character 'x' after decimal point in numeric literal"],
    ['{"Job":{"ID":"a"}', 'unexpected EOF'],
    ['{"Job":{"ID":"a",}}', "invalid character '}' looking for beginning of object key string"],
    ['[]', 'json: cannot unmarshal array into Go value of type api.JobRegisterRequest'],
    ['5', 'json: cannot unmarshal number into Go value of type api.JobRegisterRequest'],
    // Only the first value counts, whether a word, a number or a text; the rest is ignored.
    ['5 x', 'json: cannot unmarshal number into Go value of type api.JobRegisterRequest'],
    ['-1.5e3x', 'json: cannot unmarshal number into Go value of type api.JobRegisterRequest'],
    ['"a"b', 'json: cannot unmarshal string into Go value of type api.JobRegisterRequest'],
    ['true{', 'json: cannot unmarshal bool into Go value of type api.JobRegisterRequest'],
    ['nullx', 'Job must be specified'],
    ['{"Job":{"Priority":"high"}}', 'string into Go struct field Job.Job.Priority of type int'],
    ['{"Job":{"Priority":1.5}}', 'number 1.5 into Go struct field Job.Job.Priority of type int'],
    ['{"Job":{"Version":-1}}', 'number -1 into Go struct field Job.Job.Version of type uint64'],
    ['{"Job":{"Meta":{"a":1}}}', 'number into Go struct field Job.Job.Meta of type string'],
    ['{"Job":{"AllAtOnce":"yes"}}', 'string into Go struct field Job.Job.AllAtOnce of type bool'],
    [
      '{"Job":{"TaskGroups":[{"Tasks":[{"KillTimeout":"5s"}]}]}}',
      'string into Go struct field Task.Job.TaskGroups.Tasks.KillTimeout of type time.Duration',
    ],
    [
      '{"Job":{"TaskGroups":[{"Volumes":{"v":{"AccessMode":1}}}]}}',
      'number into Go struct field VolumeRequest.Job.TaskGroups.Volumes.AccessMode of type string',
    ],
    [
      '{"EnforceIndex":1}',
      'number into Go struct field JobRegisterRequest.EnforceIndex of type bool',
    ],
  ] as const)('%j is refused: %s', async ([body, reason]) => {
    const { scheduler: client } = await frozenScheduler()
    const start = /^(string|number \S+|number) into/.test(reason) ? 'json: cannot unmarshal ' : ''
    for (const path of ['jobs', 'job/a']) {
      expect(await failureOf(client.post(path, body))).toEqual([400, start + reason])
    }
    expect((await client.get('jobs')).body).toEqual([])
  })

  test.for([
    [
      'jobs',
      { Job: { TaskGroups: [{ Networks: [{ ReservedPorts: 1 }] }] } },
      'NetworkResource.Job.TaskGroups.Networks.ReservedPorts of type []api.Port',
    ],
    [
      'jobs',
      { Job: { TaskGroups: [{ Services: [{ Checks: {} }] }] } },
      'Service.Job.TaskGroups.Services.Checks of type []api.ServiceCheck',
    ],
    ['jobs', { Job: { UI: { Links: [{ Url: 1 }] } } }, 'JobUILink.Job.UI.Links.URL of type string'],
    ['jobs/statuses', { Jobs: {} }, 'JobStatusesRequest.Jobs of type []api.NamespacedID'],
    ['acl/token', { Name: 1 }, '.Alias.Name of type string'],
    ['acl/token', { Roles: [{ ID: 1 }] }, 'ACLTokenRoleLink.Alias.Roles.ID of type string'],
    ['acl/token', { Hash: 1 }, '.Hash of type string'],
    ['node/pools', { CreateIndex: '' }, 'NodePool.CreateIndex of type uint64'],
    ['var/a', { Namespace: 1 }, 'VariableDecrypted.VariableMetadata.Namespace of type string'],
    ['client/metadata', { Meta: 1 }, 'NodeMetaApplyRequest.Meta of type map[string]*string'],
    [`client/allocation/${unknownId}/restart`, { AllTasks: 1 }, '.AllTasks of type bool'],
  ] as const)('%s %j names the type %s', async ([path, body, field]) => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const { text } = await client.post(path, body)
    expect(text).toMatch(/json: cannot unmarshal \w+ into Go struct field /)
    expect(text.split('struct field ')[1]).toBe(field)
  })

  test('the types of tokens and restarts have no name; times are texts', async () => {
    const { scheduler: client } = await frozenScheduler()
    const whole = 'json: cannot unmarshal number into Go value of type struct '
    expect(await failureOf(client.post('acl/token', '5'))).toEqual([
      400,
      `${whole}{ ExpirationTTL interface {}; Hash string; *structs.Alias }`,
    ])
    const restart = `client/allocation/${unknownId}/restart`
    expect(await failureOf(client.post(restart, '5'))).toEqual([
      500,
      `${whole}{ TaskName string; AllTasks bool }`,
    ])
    expect(await failureOf(client.post('acl/token', { ExpirationTime: 5 }))).toEqual([
      400,
      'Time.UnmarshalJSON: input is not a JSON string',
    ])
  })

  test.for([
    ['scale', 'Region', 'ScalingRequest.WriteRequest.Region of type string'],
    ['scale', 'SecretID', 'ScalingRequest.WriteRequest.SecretID of type string'],
    ['plan', 'Namespace', 'JobPlanRequest.WriteRequest.Namespace of type string'],
    ['revert', 'AuthToken', 'JobRevertRequest.WriteRequest.AuthToken of type string'],
    ['stable', 'Namespace', 'JobStabilityRequest.WriteRequest.Namespace of type string'],
    ['evaluate', 'Region', 'JobEvaluateRequest.WriteRequest.Region of type string'],
    [
      'dispatch',
      'Forwarded',
      'JobDispatchRequest.WriteRequest.InternalRpcInfo.Forwarded of type bool',
    ],
  ] as const)('job/a/%s with a number for %s is refused', async ([action, member, field]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post(`job/a/${action}`, { [member]: 1 }))).toEqual([
      400,
      `json: cannot unmarshal number into Go struct field ${field}`,
    ])
  })

  describe('addresses (behaviour/scheduler#bodies)', () => {
    const actions = [
      ['evaluate', { JobID: 'example' }],
      ['stable', { JobID: 'example', JobVersion: 0, Stable: true }],
      ['revert', { JobID: 'example', JobVersion: 0 }],
    ] as const

    test.for(actions)('%s uses the namespace and region of its body', async ([action, body]) => {
      const { scheduler: client } = await frozenScheduler()
      await register(client, exampleJob())
      await register(client, exampleJob({ Priority: 60 }))
      const post = (more: object, query = '') =>
        failureOf(client.post(`job/example/${action}${query}`, { ...body, ...more }))
      const [status, text] = await post({ Namespace: 'x' })
      expect(status).toBe(500)
      expect(text).toContain('not found')
      expect(await post({ Region: 'mars' })).toEqual([500, 'No path to region'])
      expect(
        (await post({ Namespace: 'x', Region: 'mars' }, '?namespace=default&region=global'))[0],
      ).toBe(200)
    })

    test.for(actions)(
      '%s uses the token of its body unless a header has one',
      async ([action, body]) => {
        const { manager, scheduler: anonymous, holder } = await aclScheduler()
        await register(manager, exampleJob())
        await register(manager, exampleJob({ Priority: 60 }))
        const AuthToken = (await requireSuccess(manager.get('acl/token/self'))).body.SecretID
        const post = (client: typeof manager, more: object) =>
          client.post(`job/example/${action}`, { ...body, ...more })
        const denied = [403, 'Permission denied']
        expect(await failureOf(post(anonymous, {}))).toEqual(denied)
        const { client: reader } = await holder('namespace "default" { policy = "read" }')
        expect(await failureOf(post(reader, { AuthToken }))).toEqual(denied)
        await requireSuccess(post(anonymous, { AuthToken }))
      },
    )

    test('registering uses SecretID; scaling ignores the address', async () => {
      const { manager, scheduler: anonymous } = await aclScheduler()
      const { SecretID } = (await requireSuccess(manager.get('acl/token/self'))).body
      const denied = [403, 'Permission denied']
      expect(await failureOf(anonymous.post('jobs', { Job: exampleJob() }))).toEqual(denied)
      await register(anonymous, exampleJob(), { SecretID })
      const plan = { Job: exampleJob(), SecretID }
      await requireSuccess(anonymous.post('job/example/plan', plan))
      const scaling = {
        Count: 2,
        Target: { Group: 'cache' },
        Namespace: 'x',
        Region: 'mars',
        SecretID,
      }
      expect(await failureOf(anonymous.post('job/example/scale', scaling))).toEqual(denied)
      await requireSuccess(manager.post('job/example/scale', scaling))
    })
  })

  test.for([
    ['what follows the first value', `{"Job":${job}} {"Job":5} rubbish`],
    ['unknown members', `{"Jobs":5,"Job":{"Owner":{},${job.slice(1)}}`],
    ['the letter case of names', `{"JOB":${job.replace('"ID"', '"iD"').replace('Task', 'tASK')}}`],
    ['null members', `{"Submission":null,"Job":{"Type":null,"Meta":null,${job.slice(1)}}`],
  ] as const)('%s do not matter', async ([, body]) => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post('jobs', body))
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test.for(['text/plain', 'application/x-www-form-urlencoded', 'nonsense', ''])(
    'the content type %j does not matter',
    async (type) => {
      const { scheduler: client } = await frozenScheduler()
      const headers = { 'content-type': type }
      await requireSuccess(client.post('jobs', `{"Job":${job}}`, { headers }))
    },
  )

  test('names like __proto__ and constructor are data', async () => {
    const { scheduler: client } = await frozenScheduler()
    const meta = '{"__proto__":"a","constructor":"b","toString":"c"}'
    await requireSuccess(
      client.post('jobs', `{"__proto__":5,"Job":{"Meta":${meta},${job.slice(1)}}`),
    )
    const { text } = await client.get('job/example')
    expect(text).toContain(`"Meta":${meta}`)
  })

  // choice/scheduler#scheduler-depth-of-bodies
  test('free-form values may be 1000 levels deep and work everywhere', async () => {
    const { scheduler: client } = await frozenScheduler()
    const levels = (count: number, Priority: number) =>
      `{"Job":{"Priority":${Priority},${job.slice(1).replace('"Config":{', `"Config":{"deep":${'['.repeat(count)}${']'.repeat(count)},`)}}`
    for (const priority of [1, 2]) await requireSuccess(client.post('jobs', levels(1000, priority)))
    expect((await client.get('job/example/versions?diffs=true')).body.Versions).toHaveLength(2)
    const deeper = [400, 'exceeded max depth']
    expect(await failureOf(client.post('jobs', levels(1001, 3)))).toEqual(deeper)
    const deepest = "invalid character '[' exceeded max depth"
    expect(await failureOf(client.post('jobs', levels(100_000, 3)))).toEqual([400, deepest])
  })
})
