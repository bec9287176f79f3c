import type { Request } from './connection.ts'
import { managementToken, type Product, rootToken } from './product-servers.ts'
import type { Bounds } from './scenario.ts'
import { jobFile, jobOf } from './scenarios-scheduler.ts'

/**
 * Function that sends a request to the server under preparation and returns the body of the
 * successful answer.
 */
type Ask = (request: Request) => Promise<string>

/**
 * Row that is measured against a product. Both servers receive the same requests, in the product's
 * dialect.
 */
export interface RealScenario {
  readonly name: string
  readonly product: Product
  /** Whether ACLs are on, for products that can run without them. */
  readonly acl?: boolean
  /** Stores the data that the requests need, and returns the token to send. */
  readonly before: (ask: Ask) => Promise<string>
  /** Returns the requests to measure, which are sent in rotation. */
  readonly requests: (token: string) => readonly Request[]
  /** Requests per second of the CPU measurement, which the slower server must sustain easily. */
  readonly rate: number
  /** Limits of our figures relative to the product's. */
  readonly bounds: Bounds
}

/** Returns bounds that require `factor` times the throughput and 1/`factor` of the CPU time. */
const times = (factor: number): Bounds => ({ cpu: 1 / factor, rps: factor })

function sending(token: string, header: string) {
  const headers = { [header]: token, 'content-type': 'application/json' }
  return {
    get: (path: string): Request => ({ method: 'GET', path, headers: { [header]: token } }),
    send: (method: 'POST' | 'PUT', path: string, body: object | string): Request => ({
      method,
      path,
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  }
}

const vault = (token: string) => sending(token, 'x-vault-token')
const secret = '/v1/secret/data/bench'
const write = vault(rootToken).send('POST', secret, {
  data: { user: 'ada', password: 'x'.repeat(40), port: 5432 },
})
const readersToken = 'bench-reader'
const policy = [
  'path "secret/data/bench*" { capabilities = ["read"] }',
  'path "secret/metadata/*" { capabilities = ["list"] }',
  'path "auth/token/*" { capabilities = ["update"] }',
].join('\n')

const secrets: readonly RealScenario[] = [
  {
    name: 'real: key-value v2 read',
    product: 'vault',
    before: async (ask) => {
      await ask(write)
      return rootToken
    },
    requests: (token) => [vault(token).get(secret)],
    rate: 1500,
    bounds: times(5),
  },
  {
    name: 'real: key-value v2 write',
    product: 'vault',
    before: async () => rootToken,
    requests: () => [write],
    rate: 1000,
    bounds: times(5),
  },
  {
    name: 'real: look-up of the own token',
    product: 'vault',
    before: async () => rootToken,
    requests: (token) => [vault(token).get('/v1/auth/token/lookup-self')],
    rate: 1500,
    bounds: times(5),
  },
  {
    name: 'real: key-value v2 read that a policy allows',
    product: 'vault',
    before: async (ask) => {
      const root = vault(rootToken)
      await ask(write)
      await ask(root.send('PUT', '/v1/sys/policies/acl/bench', { policy }))
      const fields = { id: readersToken, policies: ['bench'], period: '1h' }
      await ask(root.send('POST', '/v1/auth/token/create', fields))
      return readersToken
    },
    requests: (token) => [vault(token).get(secret)],
    rate: 1500,
    bounds: times(5),
  },
]

const nomad = (token: string) => sending(token, 'x-nomad-token')

/** Returns a job that no node accepts, so both servers do equal work and nothing runs. */
const unplaced = (n: number, revision: string) => {
  return vendorJson({ Job: { ...jobOf(n, revision), Datacenters: ['nowhere'] } })
}
/** Returns a small job that a node accepts and whose plan reports a placement. */
const planned = (revision: string) => {
  const resources = { CPU: 100, MemoryMB: 64 }
  const tasks = [
    { Name: 't', Driver: 'raw_exec', Config: { command: 'true' }, Resources: resources },
  ]
  return vendorJson({
    Job: {
      ID: 'web-7',
      Name: 'web-7',
      Type: 'service',
      Datacenters: ['*'],
      Meta: { revision },
      TaskGroups: [{ Name: 'web', Count: 2, Tasks: tasks }],
    },
    Diff: true,
  })
}
const vendorJson = (body: object) => JSON.stringify(body).replaceAll('"sched"', '"nomad"')

const rights = 'namespace "default" { policy = "write" }'

/** Registers 50 jobs. With ACLs on, returns a token that may write jobs. */
async function jobs(ask: Ask, acl: boolean): Promise<string> {
  const management = nomad(acl ? managementToken : '')
  for (let n = 0; n < 50; n++) await ask(management.send('PUT', '/v1/jobs', unplaced(n, '1')))
  if (!acl) return ''
  await ask(management.send('POST', '/v1/acl/policy/bench', { Name: 'bench', Rules: rights }))
  const token = { Name: 'bench', Type: 'client', Policies: ['bench'] }
  return JSON.parse(await ask(management.send('POST', '/v1/acl/token', token))).SecretID
}

const scheduler = [false, true].flatMap((acl): readonly RealScenario[] => {
  const named = (what: string) => `real: jobs${acl ? ' with ACLs on' : ''}: ${what}`
  const same = {
    product: 'nomad',
    acl,
    before: (ask: Ask) => jobs(ask, acl),
    bounds: times(1.5),
  } as const
  return [
    {
      ...same,
      name: named('list of 50'),
      requests: (token) => [nomad(token).get('/v1/jobs')],
      rate: 500,
    },
    {
      ...same,
      name: named('read'),
      requests: (token) => [nomad(token).get('/v1/job/web-7')],
      rate: 1000,
    },
    {
      ...same,
      name: named('register'),
      requests: (token) =>
        ['2', '1'].flatMap((revision) =>
          Array.from({ length: 50 }, (_, n) =>
            nomad(token).send('PUT', '/v1/jobs', unplaced(n, revision)),
          ),
        ),
      rate: 100,
    },
    {
      ...same,
      name: named('parse'),
      requests: (token) => [
        nomad(token).send(
          'POST',
          '/v1/jobs/parse',
          JSON.stringify({
            JobHCL: jobFile.replaceAll('"sched"', '"nomad"'),
            Canonicalize: true,
          }),
        ),
      ],
      rate: 300,
    },
    {
      ...same,
      name: named('plan'),
      requests: (token) => [nomad(token).send('POST', '/v1/job/web-7/plan', planned('2'))],
      rate: 150,
    },
  ]
})

const mesh: readonly RealScenario[] = [
  {
    name: 'real: key of the mesh: read',
    product: 'consul',
    before: async (ask) => {
      await ask(sending('', 'x-consul-token').send('PUT', '/v1/kv/bench', 'x'.repeat(100)))
      return ''
    },
    requests: () => [{ method: 'GET', path: '/v1/kv/bench' }],
    rate: 1500,
    bounds: times(1.5),
  },
  {
    name: 'real: keys of the mesh: list',
    product: 'consul',
    before: async (ask) => {
      const { send } = sending('', 'x-consul-token')
      for (let n = 0; n < 50; n++) await ask(send('PUT', `/v1/kv/list/${n}`, 'x'.repeat(100)))
      return ''
    },
    requests: () => [{ method: 'GET', path: '/v1/kv/list/?keys' }],
    rate: 1500,
    bounds: times(1.5),
  },
]

/** All rows that are measured against a product. */
export const realScenarios: readonly RealScenario[] = [...secrets, ...scheduler, ...mesh]
