import { describe, expect, test } from 'vitest'
import { MILLISECOND, SECOND } from '../../../../state/go/duration.ts'
import type { Members } from '../job/sample-job.ts'
import { multiError } from '../support.ts'
import { groupErrorsOf, inGroup, inTask, taskErrorsOf } from './job-errors.ts'

const section = 'behaviour/scheduler#validation, service'

const network = { Networks: [{ DynamicPorts: [{ Label: 'http' }] }] }

const nameText =
  'Service name must be valid per RFC 1123 and can contain only alphanumeric characters or dashes ' +
  'and must be no longer than 63 characters: '

describe(`${section}: of a task`, () => {
  test('a bad name', () => {
    expect(taskErrorsOf({ Services: [{ Name: 'Bad_Name' }] })).toEqual(
      inTask(
        multiError([
          `service[0] "Bad_Name" validation failed: ${multiError([`${nameText}"Bad_Name"`])}`,
        ]),
      ),
    )
  })

  test.each(['web', 'WEB-1', 'a'.repeat(63), `\${meta.name}-web`])('name %s is valid', (Name) => {
    expect(taskErrorsOf({ Services: [{ Name }] })).toEqual([])
  })

  test.each(['-web', 'web-', 'a.b', 'a'.repeat(64)])('name %s is not', (Name) => {
    expect(taskErrorsOf({ Services: [{ Name }] })).toHaveLength(1)
  })

  test.each([
    [{}, 1],
    [{ Audience: null }, 1],
    [{ Audience: ['mesh'] }, 0],
  ])('identity %j has an audience', (Identity, count) => {
    expect(taskErrorsOf({ Services: [{ Name: 'web', Identity }] })).toHaveLength(count)
  })

  // choice/scheduler#validation-nesting choice/scheduler#validation-providers
  test.each<{ services: Members[]; errors: string[] }>([
    {
      services: [{ Name: 'web', PortLabel: 'x' }],
      errors: ['port label "x" referenced by services web does not exist'],
    },
    {
      services: [
        { Name: 'b', PortLabel: 'x' },
        { Name: 'a', PortLabel: 'x' },
      ],
      errors: ['port label "x" referenced by services a, b does not exist'],
    },
    {
      services: [
        { Name: 'web', PortLabel: 'http' },
        { Name: 'web', PortLabel: 'http' },
      ],
      errors: ['service "web" is duplicate'],
    },
    {
      services: [
        {
          Name: 'web',
          Checks: [
            { Name: 'c', Type: 'script', Command: 'x', Interval: SECOND, Timeout: SECOND },
            { Name: 'c', Type: 'script', Command: 'x', Interval: SECOND, Timeout: SECOND },
          ],
        },
      ],
      errors: ['check "c" is duplicate'],
    },
    {
      services: [{ Name: 'web', AddressMode: 'alloc', Connect: { SidecarService: {} } }],
      errors: [
        'service "web" cannot use address_mode="alloc", only services defined in a "group" block can use this mode',
        'service "web" cannot have "connect" block, only services defined in a "group" block can',
      ],
    },
    {
      services: [{ Name: 'web', Address: 'a', AddressMode: 'host', OnUpdate: 'x', Provider: 'y' }],
      errors: [
        `service[0] "web" validation failed: ${multiError([
          'Service address_mode must be "auto" if address is set',
          'Service on_update must be "require_healthy", "ignore_warnings", or "ignore"; not "x"',
          'Service provider must be "mesh", or "sched"; not "y"',
        ])}`,
      ],
    },
    {
      services: [
        { Name: 'web', Checks: [{ Name: 'c', Type: 'tcp', Interval: SECOND, Timeout: SECOND }] },
      ],
      errors: [
        `service[0] "web" validation failed: ${multiError([
          'Check c invalid: check requires a port but neither check nor service "web" have a port',
        ])}`,
        'check "c" is missing a port',
      ],
    },
    {
      services: [
        {
          Name: 'web',
          Checks: [
            { Name: 'c', Type: 'tcp', PortLabel: '80', Interval: SECOND, Timeout: SECOND },
            {
              Name: 'd',
              Type: 'tcp',
              PortLabel: '0',
              AddressMode: 'driver',
              Interval: SECOND,
              Timeout: SECOND,
            },
          ],
        },
      ],
      errors: [
        'check "c" cannot use a numeric port 80 without setting address_mode="driver"',
        'check "d" has invalid numeric port 0',
      ],
    },
  ])('$errors', ({ services, errors }) => {
    const known = network
    const duplicates = errors.some(
      (text) => text.includes('is duplicate') && text.startsWith('service'),
    )
    const found = taskErrorsOf({ Services: services }, known)
    const task = `Task t validation failed: ${multiError([multiError(errors)])}`
    const unique = `Task group service validation failed: ${multiError(['Services are not unique: [t->web:http]'])}`
    expect(found).toEqual(duplicates ? inGroup(unique, task) : inGroup(task))
  })
})

describe(`${section}: checks`, () => {
  const good = { Name: 'c', Type: 'http', Path: '/', Interval: SECOND, Timeout: SECOND }

  function checkErrors(check: Members, service: Members = {}) {
    return taskErrorsOf(
      { Services: [{ Name: 'web', PortLabel: 'http', Checks: [check], ...service }] },
      network,
    )
  }

  function inService(text: string) {
    return inTask(multiError([`service[0] "web" validation failed: ${multiError([text])}`]))
  }

  test.each<[change: Members, text: string]>([
    [{ Type: 'x' }, 'invalid check type ("x"), must be one of http, tcp, grpc, script'],
    [{ Path: '' }, 'http type must have http path'],
    [{ Path: '/%zz' }, 'http type must have valid http path'],
    [{ Path: 'http://x/' }, 'http type must have relative http path'],
    [{ Type: 'script' }, 'script type must have a valid script path'],
    [{ Interval: 0 }, 'missing required value interval. Interval cannot be less than 1s'],
    [{ Interval: MILLISECOND }, 'interval (1ms) cannot be lower than 1s'],
    [{ Timeout: 0 }, 'missing required value timeout. Timeout cannot be less than 1s'],
    [{ Timeout: MILLISECOND }, 'timeout (1ms) is lower than required minimum timeout 1s'],
    [
      { InitialStatus: 'x' },
      'invalid initial check state (x), must be one of "passing", "warning", "critical" or empty',
    ],
    [{ AddressMode: 'auto' }, 'invalid address_mode "auto" - auto only valid for services'],
    [{ AddressMode: 'x' }, 'invalid address_mode "x"'],
    [
      { OnUpdate: 'x' },
      'on_update must be "require_healthy", "ignore_warnings", or "ignore"; got "x"',
    ],
    [
      { OnUpdate: 'ignore', CheckRestart: {} },
      'on_update value "ignore" is not compatible with check_restart',
    ],
    [
      { CheckRestart: { Limit: -1, Grace: -2 } },
      multiError([
        'limit must be greater than or equal to 0 but found -1',
        'grace period must be greater than or equal to 0 but found -2',
      ]),
    ],
    [{ Type: 'tcp', Expose: true }, 'expose may only be set on HTTP or gRPC checks'],
    [
      { Type: 'script', Command: 'x', SuccessBeforePassing: 1 },
      'success_before_passing not supported for check of type "script"',
    ],
  ])('with %j: %s', (change, text) => {
    expect(checkErrors({ ...good, ...change })).toContainEqual(
      inService(`Check c invalid: ${text}`)[0],
    )
  })

  test('a valid check has no errors', () => {
    expect(checkErrors(good)).toEqual([])
  })

  test('settings of a service are validated together with each of its checks', () => {
    const services = [
      { OnUpdate: 'ignore', CheckRestart: { Limit: 1 } },
      { OnUpdate: 'ignore_warnings', CheckRestart: { IgnoreWarnings: true } },
    ]
    expect(services.map((service) => checkErrors(good, service))).toEqual([
      inService('Check c invalid: on_update value "ignore" is not compatible with check_restart'),
      [],
    ])
  })

  test.each<[change: Members, text: string]>([
    [
      { OnUpdate: 'ignore_warnings' },
      "on_update may only be set to ignore_warnings for the mesh's service checks",
    ],
    [
      { CheckRestart: { IgnoreWarnings: true } },
      "ignore_warnings on check_restart only supported for the mesh's service checks",
    ],
    [{ Method: 'x' }, 'method type "x" not supported in Sched http check'],
  ])('with %j, of a service of the scheduler itself: %s', (change, text) => {
    const service = { Provider: 'sched' }
    expect(checkErrors({ ...good, ...change }, service)).toEqual(inService(text))
  })

  test.each<[change: Members, what: string]>([
    [{ Expose: true }, 'expose'],
    [{ AddressMode: 'driver' }, 'address_mode = driver'],
    [{ SuccessBeforePassing: 1 }, 'success_before_passing'],
    [{ FailuresBeforeCritical: 1 }, 'failures_before_critical'],
    [{ FailuresBeforeWarning: 1 }, 'failures_before_warning'],
    [{ TLSServerName: 'a' }, 'tls_server_name'],
  ])('with %j, of a service of the scheduler itself', (change, what) => {
    expect(checkErrors({ ...good, ...change }, { Provider: 'sched' })).toContainEqual(
      inService(`${what} may only be set for the mesh's service checks`)[0],
    )
  })

  test('services of the scheduler itself allow fewer kinds of checks', () => {
    expect(checkErrors({ ...good, Type: 'grpc' }, { Provider: 'sched' })).toEqual(
      inService('invalid check type ("grpc"), must be one of tcp, http'),
    )
  })
})

describe(`${section}: of a group (reference)`, () => {
  test('errors have their index in the list, followed by conflicts between checks', () => {
    const Services = [
      { Name: 'web' },
      { Name: 'b_d' },
      { Name: 'web', Provider: 'sched' },
      { Name: 'driven', AddressMode: 'driver' },
      {
        Name: 'checked',
        Checks: [
          {
            Name: 'c',
            Type: 'script',
            Command: 'x',
            TaskName: 'z',
            Interval: SECOND,
            Timeout: SECOND,
          },
        ],
      },
    ]
    expect(groupErrorsOf({ Services })).toEqual(
      inGroup(
        `Task group service validation failed: ${multiError([
          `Service[1] b_d validation failed: ${multiError([`${nameText}"b_d"`])}`,
          'service "driven" cannot use address_mode="driver", only services defined in a "task" block can use this mode',
          'Check c invalid: refers to non-existent task z',
          'Services are not unique: [group->web]',
          'Multiple service providers used: task group services must use the same provider',
        ])}`,
      ),
    )
  })

  test('a check belongs to the task that its service names', () => {
    const check = { Name: 'c', Type: 'script', Command: 'x', Interval: SECOND, Timeout: SECOND }
    const service = { Name: 'web', TaskName: 'z', Checks: [check] }
    const inServices = (...errors: readonly string[]) =>
      inGroup(`Task group service validation failed: ${multiError(errors)}`)
    expect(groupErrorsOf({ Services: [service] })).toEqual(
      inServices('Check c invalid: refers to non-existent task z'),
    )
    expect(taskErrorsOf({ Services: [service] })).toEqual(
      inServices(
        'Service web is invalid: may only specify task the service belongs to, got "z"',
        'Check c is invalid: may only specify task the check belongs to, got "z"',
      ),
    )
  })

  test('a script check must name its task', () => {
    const check = { Name: 'c', Type: 'script', Command: 'x', Interval: SECOND, Timeout: SECOND }
    expect(groupErrorsOf({ Services: [{ Name: 'web', Checks: [check] }] })).toEqual(
      inGroup(
        `Task group service check validation failed: ${multiError([
          'Service [web]->web or Check c must specify task parameter',
        ])}`,
      ),
    )
  })
})
