import { describe, expect, test } from 'vitest'
import { hour, minute, second } from '../../../support/scheduler/scheduler-jobs.ts'
import {
  aclScheduler,
  apiHeaders,
  failureOf,
  frozenScheduler,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'

const small = `job "example" {
  group "cache" {
    task "redis" {
      driver = "docker"
      config {
        image = "redis:7"
        labels {
          a = "b"
        }
      }
    }
  }
}`

const group = {
  Name: 'cache',
  Count: null,
  Constraints: null,
  Affinities: null,
  Spreads: null,
  Meta: null,
  RestartPolicy: null,
  ReschedulePolicy: null,
  Migrate: null,
  Update: null,
  EphemeralDisk: null,
  Networks: null,
  Services: null,
  Volumes: null,
  Scaling: null,
  MaxClientDisconnect: null,
  StopAfterClientDisconnect: null,
  ShutdownDelay: null,
  PreventRescheduleOnLost: null,
  Disconnect: null,
  Mesh: null,
}

const task = {
  Name: 'redis',
  Driver: 'docker',
  User: '',
  Config: { image: 'redis:7', labels: [{ a: 'b' }] },
  Env: null,
  Services: null,
  Secrets: null,
  Templates: null,
  Constraints: null,
  Affinities: null,
  Resources: null,
  RestartPolicy: null,
  DispatchPayload: null,
  Lifecycle: null,
  Meta: null,
  KillTimeout: null,
  KillSignal: '',
  Kind: '',
  Leader: false,
  LogConfig: null,
  Artifacts: null,
  CSIPluginConfig: null,
  ScalingPolicies: null,
  ShutdownDelay: 0,
  VolumeMounts: null,
  Identity: null,
  Identities: null,
  Actions: null,
  Schedule: null,
  Mesh: null,
}

const parsed = {
  Region: null,
  Namespace: null,
  ID: 'example',
  ParentID: null,
  Name: 'example',
  Type: null,
  Priority: null,
  AllAtOnce: null,
  Datacenters: null,
  NodePool: null,
  Constraints: null,
  Affinities: null,
  Spreads: null,
  TaskGroups: [{ ...group, Tasks: [task] }],
  Update: null,
  Periodic: null,
  ParameterizedJob: null,
  Payload: null,
  Meta: null,
  Multiregion: null,
  Dispatched: false,
  Stable: null,
  Stop: null,
  Status: null,
  StatusDescription: null,
  SecretsToken: null,
  SecretsNamespace: null,
  MeshToken: null,
  SchedTokenID: null,
  SubmitTime: null,
  Version: null,
  CreateIndex: null,
  ModifyIndex: null,
  JobModifyIndex: null,
  MeshNamespace: null,
  DispatchIdempotencyToken: null,
  UI: null,
  VersionTag: null,
  Reschedule: null,
  Migrate: null,
}

describe('POST /v1/jobs/parse (behaviour/scheduler#api-jobs; behaviour/scheduler#job-files)', () => {
  // choice/scheduler#scheduler-answers-without-index
  test('omitted members are null, or the zero value where the product has no pointer', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.post('jobs/parse', { JobHCL: small })
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([200, parsed, {}])
  })

  test('Canonicalize fills in defaults, except those of the server', async () => {
    const { scheduler: client } = await frozenScheduler()
    const restart = { Attempts: 2, Interval: 30 * minute, Delay: 15 * second, Mode: 'fail' }
    const { body } = await requireSuccess(
      client.post('jobs/parse', { JobHCL: small, Canonicalize: true }),
    )
    expect(body).toMatchObject({
      ID: 'example',
      Name: 'example',
      Type: 'service',
      Priority: 50,
      Region: 'global',
      Namespace: 'default',
      Datacenters: null,
      NodePool: '',
      AllAtOnce: false,
      Stop: false,
      Version: 0,
    })
    expect(body.TaskGroups[0]).toMatchObject({
      Count: 1,
      RestartPolicy: restart,
      ReschedulePolicy: { Delay: 30 * second, MaxDelay: hour, Unlimited: true },
      EphemeralDisk: { Sticky: false, SizeMB: 300, Migrate: false },
    })
    expect(body.TaskGroups[0].Tasks[0]).toMatchObject({
      KillTimeout: 5 * second,
      LogConfig: { Disabled: false, MaxFiles: 10, MaxFileSizeMB: 10 },
      RestartPolicy: restart,
    })
  })

  test('Canonicalize false does the same as no Canonicalize', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.post('jobs/parse', { JobHCL: small, Canonicalize: false })
    expect(reply.body).toEqual(parsed)
  })

  test('JSON job files are accepted as well', async () => {
    const { scheduler: client } = await frozenScheduler()
    const file = {
      job: {
        example: {
          group: {
            cache: {
              task: {
                redis: { driver: 'docker', config: { image: 'redis:7', labels: { a: 'b' } } },
              },
            },
          },
        },
      },
    }
    const { body } = await requireSuccess(
      client.post('jobs/parse', { JobHCL: `\n ${JSON.stringify(file)}` }),
    )
    expect([body.ID, body.TaskGroups[0].Tasks[0].Driver]).toEqual(['example', 'docker'])
  })

  test('Variables provide values; undeclared ones are ignored', async () => {
    const { scheduler: client } = await frozenScheduler()
    const JobHCL = `variable "n" {
  type    = number
  default = 1
}
variable "dc" {
  type = string
}
job "example" {
  priority    = var.n
  datacenters = [var.dc]
}`
    const read = async (Variables: string) => {
      const { body } = await requireSuccess(client.post('jobs/parse', { JobHCL, Variables }))
      return [body.Priority, body.Datacenters]
    }
    expect(await read('dc = "a"\nn = 70\nother = true')).toEqual([70, ['a']])
    expect(await read('{"dc": "b"}')).toEqual([1, ['b']])
    const unset = client.post('jobs/parse', { JobHCL })
    const [status, text] = await failureOf(unset)
    expect(status).toBe(400)
    expect(text).toBe(
      'Failed to parse job: <nil>: Unset variable "dc"; A used variable must be set or have a default value; see https://example.com/docs/job-specification/hcl2/variables for details.',
    )
  })

  // choice/scheduler#language-unset-variable
  test('the error for an unset variable links to the manual of the dialect', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const JobHCL = 'variable "dc" {}\njob "j" {}'
    expect(await failureOf(client.post('jobs/parse', { JobHCL }))).toEqual([
      400,
      'Failed to parse job: <nil>: Unset variable "dc"; A used variable must be set or have a default value; see https://developer.hashicorp.com/nomad/docs/job-specification/hcl2/variables for details.',
    ])
  })

  test.for([
    ['', 'Request body is empty'],
    ['{', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    [
      '{"JobHCL":5}',
      'json: cannot unmarshal number into Go struct field JobsParseRequest.JobHCL of type string',
    ],
    [
      '{"JobHCL":"","Canonicalize":"yes"}',
      'json: cannot unmarshal string into Go struct field JobsParseRequest.Canonicalize of type bool',
    ],
    ['{}', 'Job spec is empty'],
    ['{"JobHCL":""}', 'Job spec is empty'],
    ['{"JobHCL":null,"Variables":"a ="}', 'Job spec is empty'],
    [{ JobHCL: ' ' }, 'Failed to parse job: <nil>: Missing job block; A job block is required'],
    [
      { JobHCL: 'job "a" {\n  x = 1\n}' },
      'Failed to parse job: input.hcl:2,3-4: Unsupported argument; An argument named "x" is not expected here. Did you mean "id"?',
    ],
    [
      { JobHCL: 'job "a" {}\njob "b" {}' },
      'Failed to parse job: input.hcl:2,1-8: Duplicate job block; Only one block of type "job" is allowed. Previous definition was at input.hcl:1,1-8.',
    ],
    [
      { JobHCL: 'job "a" {\n  priority = "high"\n}' },
      'Failed to parse job: input.hcl:2,15-19: Unsuitable value type; Unsuitable value: a number is required',
    ],
  ] as const)('%j is 400: %s', async ([payload, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post('jobs/parse', payload))).toEqual([400, text])
  })

  test('nothing is validated or stored', async () => {
    const { scheduler: client, world } = await frozenScheduler()
    const before = world.snapshot()
    const { body } = await requireSuccess(
      client.post('jobs/parse', { JobHCL: 'job "a b" {\n  type = "daemon"\n}' }),
    )
    expect([body.ID, body.Type, body.TaskGroups]).toEqual(['a b', 'daemon', null])
    expect(world.snapshot().store).toEqual(before.store)
    expect((await client.get('jobs')).body).toEqual([])
  })

  test('random functions use the seed of the world (behaviour/program#worlds)', async () => {
    const JobHCL = 'job "a" {\n  name = uuidv4()\n}'
    const names: unknown[] = []
    for (let at = 0; at < 2; at++) {
      const { scheduler: client } = await frozenScheduler()
      const { body } = await requireSuccess(client.post('jobs/parse', { JobHCL }))
      const again = await requireSuccess(client.post('jobs/parse', { JobHCL }))
      expect([body.Name, again.body.Name === body.Name]).toEqual([
        expect.stringMatching(uuid),
        false,
      ])
      names.push(body.Name)
    }
    expect(names[0]).toBe(names[1])
  })

  test('the flag for the old syntax is ignored', async () => {
    const { scheduler: client } = await frozenScheduler()
    const { body } = await requireSuccess(client.post('jobs/parse', { JobHCL: small, hclv1: true }))
    expect(body).toEqual(parsed)
  })

  test('the result can be registered', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const Canonicalize of [false, true]) {
      const { body } = await requireSuccess(
        client.post('jobs/parse', { JobHCL: small, Canonicalize }),
      )
      await register(client, body)
    }
    const { body } = await client.get('job/example')
    expect([body.Version, body.Datacenters]).toEqual([0, ['*']])
  })

  test('access is checked first, in the namespace of the query', async () => {
    const { scheduler: anonymous, holder, manager } = await aclScheduler()
    const denied = [403, 'Permission denied']
    expect(await failureOf(anonymous.post('jobs/parse', ''))).toEqual(denied)
    const { client } = await holder('namespace "a" { capabilities = ["parse-job"] }')
    expect(await failureOf(client.post('jobs/parse', { JobHCL: small }))).toEqual(denied)
    expect((await client.post('jobs/parse?namespace=a', { JobHCL: small })).body).toEqual(parsed)
    expect((await manager.post('jobs/parse', { JobHCL: small })).body).toEqual(parsed)
  })
})
