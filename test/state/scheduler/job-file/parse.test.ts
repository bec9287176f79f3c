import { describe, expect, test } from 'vitest'
import { parseJobFile } from '../../../../state/scheduler/job-file/parse.ts'
import { parse, read, refusal, UUID } from './support.ts'

const NOTHING_WRITTEN = {
  Region: null,
  Namespace: null,
  ParentID: null,
  Type: null,
  Priority: null,
  AllAtOnce: null,
  Datacenters: null,
  NodePool: null,
  Constraints: null,
  Affinities: null,
  Spreads: null,
  TaskGroups: null,
  Update: null,
  Periodic: null,
  ParameterizedJob: null,
  Payload: null,
  Meta: null,
  Multiregion: null,
  Dispatched: null,
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
  VersionTag: null,
  Reschedule: null,
  Migrate: null,
}

describe('behaviour/scheduler#job-files: the request form', () => {
  test('an empty job: all members are null except ID and Name', () => {
    expect(parse(read('minimal.hcl'))).toStrictEqual({
      ...NOTHING_WRITTEN,
      ID: 'example',
      Name: 'example',
    })
  })

  test.for([
    ['127', 127],
    ['200', -56],
    ['-129', 127],
    ['256', 0],
    ['1.9', 1],
    ['-0.5', 0],
    ['1e30', -1],
    ['-1e30', 0],
  ] as const)("an affinity's weight is cut to 8 bits: %s is %i", ([written, kept]) => {
    const { Affinities } = parse(`job "j" {\n  affinity {\n    weight = ${written}\n  }\n}`)
    expect(Affinities?.[0]?.Weight).toBe(kept)
  })

  test('integers keep all their digits, in native syntax and in JSON', () => {
    const [task] =
      parse(`variable "n" { default = 9007199254740993 }
      job "j" {
        group "g" {
          count = 9223372036854775807
          task "t" { kill_timeout = var.n }
        }
      }`).TaskGroups?.flatMap(({ Tasks }) => Tasks ?? []) ?? []
    expect(task?.KillTimeout).toBe(9007199254740993n)
    const { Meta, TaskGroups } = parse(`{"job": {"j": {"meta": {"a": 9007199254740993},
      "group": {"g": {"count": 9223372036854775807}}}}}`)
    expect([Meta, TaskGroups?.[0]?.Count]).toEqual([
      { a: '9007199254740993' },
      9223372036854775807n,
    ])
    const tooLarge = `job "j" {\n group "g" {\n count = 9223372036854775808\n }\n}`
    expect(() => parse(tooLarge)).toThrow(/must be a whole number, between -9223372036854775808/)
    const { Meta: meta } = parse(`variable "n" { default = 9007199254740993 }
      job "j" {
        meta {
          a = "\${var.n}"
          b = 18446744073709551617
          c = jsonencode([-var.n, var.n == 9007199254740992, var.n > 9007199254740992])
        }
      }`)
    expect(meta).toEqual({
      a: '9007199254740993',
      b: '18446744073709551617',
      c: '[-9007199254740993,false,true]',
    })
  })

  test('the parser fills a task with the integration block, templates and ports, and no more', () => {
    const text = `job "j" {
      group "g" {
        network {
          port "p" { static = 1 }
        }
        task "t" {
          secrets {}
          template {}
        }
      }
    }`
    const [group] = parse(text).TaskGroups ?? []
    expect(group?.Count).toBeNull()
    expect(group?.Networks).toStrictEqual([
      {
        Device: null,
        CIDR: null,
        IP: null,
        MBits: null,
        Mode: null,
        DNS: null,
        ReservedPorts: [{ Label: 'p', Value: 1, To: null, HostNetwork: null }],
        DynamicPorts: null,
      },
    ])
    const [task] = group?.Tasks ?? []
    expect(task?.Secrets).toStrictEqual({
      Policies: null,
      Role: null,
      Namespace: null,
      Env: true,
      DisableFile: false,
      ChangeMode: 'restart',
      ChangeSignal: null,
    })
    expect(task?.Templates).toStrictEqual([
      {
        SourcePath: null,
        DestPath: null,
        EmbeddedTmpl: null,
        ChangeMode: 'restart',
        ChangeSignal: null,
        Splay: 5_000_000_000,
        Perms: '0644',
        ErrMissingKey: false,
      },
    ])
    expect(task?.Driver).toBeNull()
    expect(task?.LogConfig).toBeNull()
  })

  // behaviour/scheduler#job-file-blocks, `lifecycle`: the block is optional in a task, and so is
  // its hook.
  test('a lifecycle needs no hook', () => {
    const job = parse(taskOf('lifecycle {\n}'))
    expect(job.TaskGroups?.[0]?.Tasks?.[0]?.Lifecycle).toMatchObject({ Hook: null })
  })

  test('behaviour/scheduler#canonical-form: scripts of templates are also filled on parsing', () => {
    const job = parse(taskOf('template {\nchange_script {\ncommand = "c"\n}\n}'))
    const script = { Command: 'c', Args: [], Timeout: 5_000_000_000, FailOnError: false }
    expect(job.TaskGroups?.[0]?.Tasks?.[0]?.Templates?.[0]?.ChangeScript).toStrictEqual(script)
  })

  test('two parses share no mutable object', () => {
    const text = read('secrets.hcl')
    expect(parse(text)).toStrictEqual(parse(text))
    const tasks = parse(text).TaskGroups?.flatMap(({ Tasks }) => Tasks ?? []) ?? []
    const inherited = tasks.filter(({ Secrets }) => Secrets?.Policies?.[0] === 'job')
    expect(inherited.map(({ Name }) => Name)).toStrictEqual(['alone', 'from-job'])
    expect(inherited[0]?.Secrets).not.toBe(inherited[1]?.Secrets)
  })

  test.each(['job-arguments', 'config', 'comments', 'dynamic'])(
    'line breaks of either kind and a missing one at the end: %s',
    (name) => {
      const text = read(`${name}.hcl`)
      expect(parse(text.replaceAll('\n', '\r\n'))).toStrictEqual(parse(text))
      expect(parse(text.trimEnd())).toStrictEqual(parse(text))
    },
  )

  test('uuidv4 draws from the generator that is passed in', () => {
    const generated = [UUID, '99999999-8888-4777-8666-555555555555']
    const job = parseJobFile('job "j" {\n meta {\n a = uuidv4()\n b = uuidv4()\n }\n}', {
      uuid: () => generated.shift() ?? '',
    })
    expect(job.Meta).toStrictEqual({ a: UUID, b: '99999999-8888-4777-8666-555555555555' })
  })
})

describe("behaviour/scheduler#job-file-blocks: mistakes in a group's secrets block", () => {
  const wrong = 'secrets {\n policies = {}\n role = "r"\n}'
  const error = 'Unsuitable value type; Unsuitable value: list of string required'

  // choice/scheduler#job-file-secrets-of-group
  test('are lost', () => {
    const job = parse(`job "j" {\n group "g" {\n ${wrong}\n task "t" {\n}\n}\n}`)
    const secrets = job.TaskGroups?.[0]?.Tasks?.[0]?.Secrets
    expect(secrets).toMatchObject({ Policies: null, Role: 'r', Env: true })
  })

  // choice/scheduler#job-file-secrets-of-group
  test.each([
    ["a job's", `job "j" {\n ${wrong}\n}`],
    ["a task's", `job "j" {\n group "g" {\n task "t" {\n ${wrong}\n}\n}\n}`],
  ])('%s are refused', (_, text) => {
    expect(refusal(text)).toContain(error)
  })
})

// choice/scheduler#job-file-dynamic-config
test('behaviour/scheduler#job-files: inside config, dynamic is data', () => {
  const config = 'dynamic "labels" {\n for_each = [1]\n content {\n a = 5\n b = labels.value\n}\n}'
  const job = parse(`job "j" {\n group "g" {\n task "t" {\n config {\n ${config}\n}\n}\n}\n}`)
  expect(job.TaskGroups?.[0]?.Tasks?.[0]?.Config).toStrictEqual({
    dynamic: [{ labels: [{ for_each: [1], content: [{ a: 5, b: `\${labels.value}` }] }] }],
  })
})

describe('behaviour/scheduler#job-file-language: precedence of values', () => {
  const text = `variable "a" {
  default = "from default"
}
job "j" {
  name = var.a
}`

  test.each([
    ['no values', undefined, 'from default'],
    ['empty values', '', 'from default'],
    ['values of others', 'b = 1', 'from default'],
    ['a value', 'a = "from values"', 'from values'],
    ['a value as JSON', '{"a": "from JSON"}', 'from JSON'],
    ['null', 'a = null', 'j'],
  ])('%s', (_, variables, name) => {
    expect(parse(text, variables).Name).toBe(name)
  })
})

function taskOf(blocks: string): string {
  return `job "j" {\n group "g" {\n task "t" {\n ${blocks}\n}\n}\n}`
}

describe('behaviour/scheduler#vendor-names: names of both dialects', () => {
  const misspelt =
    'job "j" {\n  valut {\n  }\n  secretz {\n  }\n  vault_tokne = 1\n  secrets_tokne = 1\n}'

  // choice/scheduler#job-file-neutral-names
  test.each([false, true])(
    'names of both dialects are suggested and read (vendor: %s)',
    (vendor) => {
      const message = (): string => {
        try {
          parseJobFile(misspelt, { uuid: () => UUID, isVendor: vendor })
        } catch (error) {
          if (error instanceof Error) return error.message
        }
        return ''
      }
      expect(message()).toBe(
        [
          'Failed to parse job: input.hcl:6,3-14: Unsupported argument; An argument named "vault_tokne" is not expected here. Did you mean "vault_token"?',
          'input.hcl:7,3-16: Unsupported argument; An argument named "secrets_tokne" is not expected here. Did you mean "secrets_token"?',
          'input.hcl:2,3-8: Unsupported block type; Blocks of type "valut" are not expected here. Did you mean "vault"?',
          'input.hcl:4,3-10: Unsupported block type; Blocks of type "secretz" are not expected here. Did you mean "secrets"?',
        ].join('\n'),
      )
      const written = {
        ...parseJobFile(read('vendor-names.hcl'), { uuid: () => UUID, isVendor: vendor }),
      }
      expect(written).toStrictEqual(parse(read('vendor-names.hcl')))
    },
  )

  test('of two similar names, the dialect of the file decides', () => {
    const text = 'job "j" {\n  group "g" {\n    mash {\n    }\n  }\n}'
    expect(refusal(text)).toContain('Did you mean "mesh"?')
  })
})
