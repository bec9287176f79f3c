import { describe, expect, onTestFinished, test } from 'vitest'
import { controlOperations as operationsOf } from '../../../routes/control/operations.ts'
import { evidenceOf } from '../../../routes/http/declare/coverage.ts'
import { meshCoverage } from '../../../routes/mesh/coverage.ts'
import { platformCoverage } from '../../../routes/platform/coverage.ts'
import { schedulerCoverage } from '../../../routes/scheduler/documents.ts'
import {
  mountPathOf,
  secretsOperations,
  usualMountPaths,
} from '../../../routes/secrets/coverage.ts'
import { secretsEngines } from '../../../routes/secrets/engines.ts'
import { type Coverage, createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'
import { ApiCatalog } from '../../../src/server/api-catalog.ts'
import { services } from '../../../src/services.ts'
import { control, problem } from '../../support/control.ts'
import { choicesByApi } from '../../support/documentation/choices.ts'
import { everyEngine, servedSecrets } from '../../support/secrets/secrets.ts'

const controlOperations = operationsOf(services)
const choicesOf = (api: string) => choicesByApi.get(api)

async function server(): Promise<Understudy> {
  const running = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' })
  onTestFinished(() => running.close())
  return running
}

/** Returns the ledger that the control plane sends. */
async function ledger(running: Understudy, query = ''): Promise<Coverage> {
  const reply = await running.inject(`/_mock/coverage${query}`)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}

describe('behaviour/program#control-plane: the coverage ledger', () => {
  test('lists the four APIs, served or not, the control plane and the process', async () => {
    const running = await server()
    expect(await ledger(running)).toEqual({
      services: [
        {
          name: 'secrets',
          served: true,
          operations: secretsOperations(),
          choices: choicesOf('secrets'),
        },
        {
          name: 'platform',
          served: true,
          ...platformCoverage(),
          choices: choicesOf('platform'),
        },
        { name: 'mesh', served: true, ...meshCoverage(), choices: choicesOf('mesh') },
        {
          name: 'scheduler',
          served: true,
          ...schedulerCoverage(),
          choices: choicesOf('scheduler'),
        },
      ],
      control: {
        operations: controlOperations.map(({ id, method, path, summary, spec }) => ({
          id,
          verb: method,
          path: `/_mock${path}`,
          summary,
          spec,
          evidence: 'extension',
        })),
      },
      choices: choicesOf('process'),
    })
  })

  test('uses the paths of the mounts of its worlds in the vendor dialect', async () => {
    const running = await createUnderstudy({ dialect: 'vendor' })
    onTestFinished(() => running.close())
    const token = { 'x-vault-token': 'root' }
    const mounts = [
      ...Object.keys((await running.inject({ url: '/v1/sys/mounts', headers: token })).json().data),
      ...Object.keys(
        (await running.inject({ url: '/v1/sys/auth', headers: token })).json().data,
      ).map((mount) => `auth/${mount}`),
      ...Object.keys(usualMountPaths).map((type) => `${mountPathOf(type, 'vendor')}/`),
    ]
    const operations = (await ledger(running, '?service=secrets')).services[0]?.operations ?? []
    const homeless = operations.filter(
      ({ path }) => !mounts.some((mount) => path.startsWith(`/v1/${mount}`)),
    )
    expect(homeless).toEqual([])
    expect(operations.map(({ path }) => path)).toContain('/v1/kubernetes/creds/:role')
  })

  test('matches its declared reply schema, which the OpenAPI document shows', async () => {
    // `control` checks each reply against the schema that its operation declares.
    const services = [
      {
        name: 'secrets',
        served: true,
        operations: secretsOperations(),
        choices: choicesOf('secrets') ?? [],
      },
    ]
    const { ask } = await control({ coverage: () => ({ services }) })
    const reply = await ask('GET', '/coverage')
    expect([reply.status, reply.body.services]).toEqual([200, services])
    const { body } = await ask('GET', '/openapi.json')
    expect(body.paths['/coverage'].get.operationId).toBe('getCoverage')
    expect(body.paths['/coverage'].get.parameters).toEqual([
      {
        name: 'service',
        in: 'query',
        required: false,
        schema: {
          enum: ['secrets', 'platform', 'mesh', 'scheduler'],
          description: 'Only this service',
        },
      },
    ])
  })

  test('lists the control plane even without any API', async () => {
    const ledger = new ApiCatalog(new Map(), controlOperations)
    const { ask } = await control({ coverage: (only) => ledger.coverage(only) })
    const { body } = await ask('GET', '/coverage')
    expect([body.services, body.choices]).toEqual([[], choicesOf('process')])
  })

  test('?service= selects one; unknown names are refused', async () => {
    const running = await server()
    expect(await ledger(running, '?service=scheduler')).toEqual({
      services: [
        {
          name: 'scheduler',
          served: true,
          ...schedulerCoverage(),
          choices: choicesOf('scheduler'),
        },
      ],
    })
    const refused = await running.inject('/_mock/coverage?service=mail')
    const detail =
      'query parameter service must be one of "secrets", "platform", "mesh", "scheduler"'
    expect(refused.json()).toEqual(problem(400, 'Bad Request', detail, [detail]))
  })

  test('is equal in every world and for embedding programs, and changes nothing', async () => {
    const running = await server()
    const other = running.createWorld({ id: 'other', options: { secrets: { initialized: false } } })
    const before = JSON.stringify([running.world().state(), other.state()])
    const whole = await ledger(running)
    const elsewhere = await other.inject('/_mock/coverage')
    expect(elsewhere.json()).toEqual(whole)
    expect([running.coverage(), running.coverage('secrets')]).toEqual([
      whole,
      { services: [whole.services[0]] },
    ])
    expect(await ledger(running)).toEqual(whole)
    expect(JSON.stringify([running.world().state(), other.state()])).toBe(before)
  })

  test('requires the control token if there is one', async () => {
    const { ask } = await control({ controlToken: 'key' })
    const allowed = await ask('GET', '/coverage', undefined, { authorization: 'Bearer key' })
    expect([(await ask('GET', '/coverage')).status, allowed.status]).toEqual([401, 200])
  })
})

describe('behaviour/program#control-plane: evidence of operations', () => {
  test.each([
    ['behaviour/secrets#api-health', 'spec'],
    ['behaviour/secrets#tokens', 'decision'],
    ['behaviour/secrets#api-conventions; behaviour/secrets#key-value', 'spec'],
    ['behaviour/mesh#api-namespaces', 'spec'],
    ['behaviour/scheduler#jobs', 'decision'],
    ['Extension: moving mounts', 'extension'],
    ['behaviour/program#control-plane', 'extension'],
  ] as const)('%s is %s', (spec, evidence) => {
    expect(evidenceOf(spec)).toBe(evidence)
  })

  test('every declared operation is listed once, with its own spec', () => {
    const declared = secretsEngines.flatMap(({ operations }) =>
      operations.flatMap(({ id, summary, spec, methods }) =>
        Array.from({ length: methods === 'head' ? 2 : 1 }, () => ({ id, summary, spec })),
      ),
    )
    const listed = secretsOperations()
    expect(listed.map(({ id, summary, spec }) => ({ id, summary, spec }))).toEqual(declared)
    const addresses = listed.map(({ verb, path }) => `${verb} ${path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses).toContain('HEAD /v1/sys/health')
    expect(addresses).toContain('LIST /v1/secret/metadata/:path')
  })

  test('an engine without a known mount is an internal error', () => {
    expect(() => secretsOperations([{ type: 'novel', operations: [] }])).toThrow(
      'coverage.ts does not know where novel is mounted',
    )
  })

  test('engines are listed at their mounts in a fresh world, or at their usual paths', async () => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    const [mounts, methods] = await Promise.all([
      secrets.get('sys/mounts'),
      secrets.get('sys/auth'),
    ])
    const mounted = [
      ...Object.keys(mounts.body.data),
      ...Object.keys(methods.body.data).map((path) => `auth/${path}`),
    ]
    const homeless = secretsOperations().filter(
      ({ path }) => !mounted.some((mount) => path.startsWith(`/v1/${mount}`)),
    )
    expect(homeless).toEqual([])
  })
})

const choices = [...choicesByApi.values()].flat()

describe('behaviour/program#what-it-is: named choices', () => {
  test('each has a unique name in kebab case', () => {
    const ids = choices.map(({ id }) => id)
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([])
    expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([])
  })

  test('each has a question, an answer and the rule that is silent', () => {
    const incomplete = choices.filter(
      ({ about, choice, where }) =>
        !about.endsWith('.') ||
        !choice.endsWith('.') ||
        !/^behaviour\/[a-z]+#[a-z0-9-]+(, .+)?$/.test(where),
    )
    expect(incomplete).toEqual([])
  })
})
