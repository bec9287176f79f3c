import { describe, expect, test } from 'vitest'
import { HOUR, SECOND } from '../../../../state/go/duration.ts'
import { exampleJob, type Members } from '../job/sample-job.ts'
import { multiError } from '../support.ts'
import { errorsOf, inGroup, inTask, taskErrorsOf } from './job-errors.ts'

const section = 'behaviour/scheduler#validation'

interface Row {
  readonly task: Members
  readonly group?: Members
  readonly job?: Members
  readonly errors: readonly string[]
}

describe(`${section}: task`, () => {
  test.each<Row>([
    { task: { Driver: '' }, errors: ['Missing task driver'] },
    { task: { KillTimeout: -1 }, errors: ['KillTimeout must be a positive value'] },
    { task: { ShutdownDelay: -1 }, errors: ['ShutdownDelay must be a positive value'] },
    {
      task: { KillTimeout: HOUR },
      errors: ["KillTimout (1h0m0s) longer than the group's ProgressDeadline (10m0s)"],
    },
    {
      task: { Resources: { CPU: 0 } },
      errors: [multiError([multiError(['minimum CPU value is 1; got 0'])])],
    },
    {
      task: { Resources: { MemoryMB: 5 } },
      errors: [multiError([multiError(['minimum MemoryMB value is 10; got 5'])])],
    },
    {
      task: { Resources: { CPU: 100, Cores: 1, MemoryMaxMB: 10, SecretsMB: 400 } },
      errors: [
        multiError([
          "Task can only ask for 'cpu' or 'cores' resource, not both.",
          'MemoryMaxMB value (10) should be larger than MemoryMB value (300)',
          'SecretsMB value (400) cannot be larger than MemoryMB value (300)',
        ]),
      ],
    },
    {
      task: { LogConfig: {} },
      group: { EphemeralDisk: { SizeMB: 100 } },
      errors: [
        multiError(['log storage (100 MB) must be less than requested disk capacity (100 MB)']),
      ],
    },
    {
      task: { LogConfig: { MaxFiles: 0 } },
      errors: [multiError(['minimum number of files is 1; got 0'])],
    },
    {
      task: { LogConfig: { MaxFileSizeMB: 0 } },
      errors: [multiError(['minimum file size is 1MB; got 0'])],
    },
    {
      task: {
        VolumeMounts: [
          { Volume: 'x' },
          { Volume: '' },
          { Volume: 'constructor', PropagationMode: 'y' },
          { Volume: 'z', SELinuxLabel: 'y' },
          { Volume: 'z', SELinuxLabel: 'Z' },
        ],
      },
      errors: [
        'Volume Mount (0) references undefined volume x',
        'Volume Mount (1) references undefined volume ',
        `Volume Mount (1) is invalid: "${multiError(['volume mount references an empty volume'])}"`,
        'Volume Mount (2) references undefined volume constructor',
        `Volume Mount (2) is invalid: "${multiError(['volume mount has an invalid propagation mode: "y"'])}"`,
        'Volume Mount (3) references undefined volume z',
        `Volume Mount (3) is invalid: "${multiError(['volume mount has an invalid SELinux label: "y"'])}"`,
        'Volume Mount (4) references undefined volume z',
      ],
    },
    {
      task: { Affinities: [{}] },
      job: { Type: 'system' },
      errors: ['System jobs may not have an affinity block'],
    },
    {
      task: { DispatchPayload: { File: '../../../x' } },
      errors: ['Dispatch Payload validation failed: destination escapes allocation directory'],
    },
    {
      task: { CSIPluginConfig: {} },
      errors: [
        'CSIPluginConfig must have a non-empty PluginID',
        `CSIPluginConfig PluginType must be one of 'node', 'controller', or 'monolith', got: ""`,
      ],
    },
    {
      task: { Secrets: { Policies: ['root'], ChangeMode: 'x' } },
      errors: [`Secrets validation failed: ${multiError(['Unknown change mode "x"'])}`],
    },
    {
      task: {
        Resources: {
          Devices: [
            {
              Name: '',
              Constraints: [{ Operand: 'x', LTarget: 'a' }, { Operand: 'distinct_hosts' }],
            },
          ],
        },
      },
      errors: [
        multiError([
          `device 1 failed validation: ${multiError([
            'device name must be given as one of the following: type, vendor/type, or vendor/type/name',
            `Constraint 1 validation failed: ${multiError(['Unknown constraint type "x"'])}`,
            'Constraint 2 validation failed: using unsupported operand "distinct_hosts"',
          ])}`,
        ]),
      ],
    },
  ])('$errors', ({ task, group, job, errors }) => {
    expect(taskErrorsOf(task, group, job)).toEqual(inTask(...errors))
  })

  test.each<{ name: string; errors: string[] }>([
    { name: 'a/b', errors: ['Task name cannot include slashes'] },
    { name: 'a\\b', errors: ['Task name cannot include slashes'] },
    { name: 'a\0b', errors: ['Task name cannot include null characters'] },
  ])('name $name: $errors', ({ name, errors }) => {
    expect(taskErrorsOf({ Name: name })).toEqual(
      inGroup(`Task ${name} validation failed: ${multiError(errors)}`),
    )
  })

  test('a nonexistent hook is refused, beside a main task', () => {
    const Tasks = [
      { Name: 'main', Driver: 'd' },
      { Name: 't', Driver: 'd', Lifecycle: { Hook: 'x' } },
    ]
    expect(errorsOf(exampleJob({ group: { Tasks } }))).toEqual(
      inTask('Lifecycle validation failed: invalid hook: x'),
    )
  })
})

describe(`${section}: task, templates`, () => {
  const good = { EmbeddedTmpl: 'x', DestPath: 'local/a' }

  test.each<{ template: Members; errors: string[] }>([
    {
      template: { DestPath: 'local/a' },
      errors: ['Must specify a source path or have an embedded template'],
    },
    {
      template: { EmbeddedTmpl: 'x' },
      errors: ['Must specify a destination for the template'],
    },
    {
      template: { ...good, ChangeMode: 'x' },
      errors: ['Invalid change mode. Must be one of the following: noop, signal, script, restart'],
    },
    {
      template: { ...good, DestPath: '../../a' },
      errors: ['destination escapes allocation directory'],
    },
    {
      template: { ...good, ChangeMode: 'signal', Envvars: true },
      errors: ['cannot use signals with env var templates'],
    },
    {
      template: { ...good, ChangeMode: 'script' },
      errors: ['must specify change script configuration value when change mode is script'],
    },
    {
      template: { ...good, ChangeMode: 'script', ChangeScript: {} },
      errors: ['must specify script path value when change mode is script'],
    },
    { template: { ...good, Splay: -1 }, errors: ['Must specify positive splay value'] },
    {
      template: { ...good, Perms: '9' },
      errors: ['Failed to parse "9" as octal: strconv.ParseUint: parsing "9": invalid syntax'],
    },
    {
      template: { ...good, Perms: '10000' },
      errors: [
        'Failed to parse "10000" as octal: strconv.ParseUint: parsing "10000": value out of range',
      ],
    },
    {
      template: { ...good, Wait: { Min: 2 * SECOND, Max: SECOND } },
      errors: ['wait min 2s is greater than max 1s'],
    },
  ])('$errors', ({ template, errors }) => {
    expect(taskErrorsOf({ Templates: [template] })).toEqual(
      inTask(`Template 1 validation failed: ${multiError(errors)}`),
    )
  })

  test('two of the same destination are refused', () => {
    expect(taskErrorsOf({ Templates: [good, good] })).toEqual(
      inTask('Template 2 has same destination as 1'),
    )
  })
})

describe(`${section}: task, artifacts`, () => {
  const sum = (checksum: string) => ({ GetterSource: 's', GetterOptions: { checksum } })

  test.each<{ artifact: Members; errors: string[] }>([
    { artifact: {}, errors: ['source must be specified'] },
    {
      artifact: { GetterSource: 's', GetterMode: 'x' },
      errors: ['invalid artifact mode "x"; must be one of: any, file, dir'],
    },
    {
      artifact: { GetterSource: 's', RelativeDest: '../..' },
      errors: ['destination escapes allocation directory'],
    },
    { artifact: sum(' '), errors: ['checksum value cannot be empty'] },
    { artifact: sum('x'), errors: ['checksum must be given as "type:value"; got "x"'] },
    {
      artifact: sum('md5:x0'),
      errors: ["invalid checksum: encoding/hex: invalid byte: U+0078 'x'"],
    },
    { artifact: sum('md5:0'), errors: ['invalid checksum: encoding/hex: odd length hex string'] },
    { artifact: sum('x:00'), errors: ['unsupported checksum type: x'] },
    { artifact: sum('md5:00'), errors: ['invalid md5 checksum: 00'] },
  ])('$errors', ({ artifact, errors }) => {
    expect(taskErrorsOf({ Artifacts: [artifact] })).toEqual(
      inTask(`Artifact 1 validation failed: ${multiError(errors)}`),
    )
  })

  test('checksums that are valid or refer to the environment', () => {
    const Artifacts = [sum(`md5:${'0'.repeat(32)}`), sum(`md5:\${meta.sum}`)]
    expect(taskErrorsOf({ Artifacts })).toEqual([])
  })
})

describe(`${section}: signals without a name`, () => {
  const inGroup = (index: number, error: string) => [
    `Task group web validation failed: ${multiError([
      `Constraint ${index} validation failed: ${multiError(['Set contains constraint requires an RTarget'])}`,
      `Task t validation failed: ${multiError([error])}`,
    ])}`,
  ]

  test('are refused, with the constraint that they imply', () => {
    const secrets = { Secrets: { ChangeMode: 'signal', ChangeSignal: '' } }
    expect(taskErrorsOf(secrets)).toEqual(
      inGroup(
        2,
        `Secrets validation failed: ${multiError([
          'Signal must be specified when using change mode "signal"',
        ])}`,
      ),
    )
    const template = { EmbeddedTmpl: 'x', DestPath: 'a', ChangeMode: 'signal', ChangeSignal: '' }
    expect(taskErrorsOf({ Templates: [template] })).toEqual(
      inGroup(
        1,
        `Template 1 validation failed: ${multiError([
          'Must specify signal value when change mode is signal',
        ])}`,
      ),
    )
  })
})
