import type fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import type { Api } from '../../routes/http/api.ts'
import type { CoveredOperation } from '../../routes/http/declare/coverage.ts'
import type { DialectName } from '../../routes/http/declare/dialect.ts'
import { memoizeByIdentity } from '../../routes/http/openapi/openapi-schema.ts'
import { Journals } from '../../routes/journal/journal.ts'
import { failureSchema } from '../../routes/platform/json-api/resource.ts'
import { secretsOperations } from '../../routes/secrets/coverage.ts'
import { secretsDialect } from '../../routes/secrets/dialect/dialect.ts'
import type { ApiName } from '../../src/api-names.ts'
import { buildApp } from '../../src/server/app.ts'
import { logOptions } from '../../src/server/log.ts'
import { services } from '../../src/services.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { type GeneratedRequest, RequestGenerator } from '../support/generated/generated-requests.ts'
import { samples } from '../support/generated/samples/samples.ts'
import { bodySchema, schemaArbitrary } from '../support/generated/schema-values.ts'
import { checkReplies, textFailure } from '../support/openapi/reply-schemas.ts'
import { everyEngine, testTime } from '../support/secrets/secrets.ts'

/** Parts of a reply that the fuzzer checks. */
export interface FuzzReply {
  readonly statusCode: number
  readonly body: string
}

/** API or control plane to which the fuzzer sends random requests. */
export interface Target {
  readonly name: string
  readonly world: World
  readonly maker: RequestGenerator
  send(request: GeneratedRequest): Promise<FuzzReply>
  /** Returns whether the body of a failed request has the API's format. */
  isFailure(body: string, request: GeneratedRequest): boolean
  /**
   * True if the reference also answers some requests with 500; then only a 500 with
   * `internal error` is a finding.
   */
  readonly isDeclared500: boolean
  /** Returns the log lines about unexpected exceptions since the last call. */
  faults(): readonly string[]
  /** Deletes data that requests left outside the world, such as the journal. */
  forget(): void
  close(): Promise<void>
}

/** Returns the operations to call; worlds have the mounts of the neutral dialect. */
const operationsOf = (api: Api): readonly CoveredOperation[] =>
  api.name === 'secrets' ? secretsOperations() : (api.coverage?.().operations ?? [])

/** Operations whose answers end only when the client disconnects. */
const endless = new Set(['streamEvents', 'monitorAgent', 'monitorNode'])

/** Names of the token headers in the vendor dialect, by neutral name. */
const vendorHeaders: Readonly<Partial<Record<string, string>>> = {
  'x-secrets-token': 'x-vault-token',
  'x-mesh-token': 'x-consul-token',
  'x-sched-token': 'x-nomad-token',
}

/** Makes an app check its replies against their schemas, if its dialect has schemas for them. */
function checkThose(app: FastifyInstance, name: ApiName, dialect: DialectName): void {
  if (name === 'secrets') checkReplies(app, undefined, secretsDialect(dialect).fieldName)
  else if (name === 'platform') checkReplies(app, failureSchema, undefined, dialect)
  // The scheduler's vendor dialect omits empty members, so its replies do not match the schemas.
  else if (dialect === 'neutral') checkReplies(app, textFailure)
}

const objectOf = (body: string): Record<string, unknown> | undefined => {
  try {
    const value = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a check of failure bodies: an object with a list of errors for the secrets API and the
 * platform, any text for the other APIs.
 */
function isFailureOf(name: ApiName): Target['isFailure'] {
  if (name === 'mesh' || name === 'scheduler') return () => true
  // The secrets service's health endpoint has its own failure status and body.
  const known = ['errors', 'data', 'initialized']
  return (body, { url }) => {
    // Replies about certificates are DER, and providers of OIDC answer as RFC 6749 says.
    if (/\/ocsp(?:\/|$)/.test(url)) return true
    const members = url.includes('/oidc/provider/') ? [...known, 'error'] : known
    return members.some((member) => member in (objectOf(body) ?? {}))
  }
}

export const isProblem = (body: string): boolean => typeof objectOf(body)?.['status'] === 'number'

/** Returns a function from an operation to the generator of its bodies, by an OpenAPI document. */
export function bodiesOf(document: JsonSchema) {
  return memoizeByIdentity(
    ({ verb, path }: CoveredOperation): fc.Arbitrary<unknown> | undefined => {
      const schema = bodySchema(document, verb, path)
      return schema === undefined ? undefined : schemaArbitrary(schema, document)
    },
  )
}

/** Returns one API alone in an app, with a world that contains data of every kind. */
export async function apiTarget(name: ApiName, dialect: DialectName): Promise<Target> {
  const service = services.find((each) => each.name === name)
  if (service === undefined) throw new Error(`there is no API ${name}`)
  const lines: string[] = []
  const visits = new Journals()
  const worlds = new Worlds({
    services: services.map(({ state }) => state),
    seed: 'fuzz',
    clock: { mode: 'frozen', at: testTime },
    options: { mesh: { aclEnabled: true }, scheduler: { aclEnabled: true } },
    document: everyEngine,
    freezeRows: true,
    onError: (error) => void lines.push(String(error)),
  })
  const api = service.api(dialect).dedicated
  const stream = { write: (line: string) => void lines.push(line) }
  const log = await logOptions({ logLevel: 'error', logFormat: 'json' }, stream)
  const app = buildApp({ worlds, recorder: visits, apis: [api], log })
  checkThose(app, name, dialect)
  await app.ready()
  const all = operationsOf(api).filter(({ id }) => !endless.has(id))
  const world = worlds.default
  const maker = new RequestGenerator(all, samples[name], bodiesOf(api.openApi?.('test') ?? {}))
  const spoken = (headers: GeneratedRequest['headers']) =>
    Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [
        (dialect === 'vendor' && vendorHeaders[header]) || header,
        value,
      ]),
    )
  return {
    name: `${name}, ${dialect}`,
    world,
    maker,
    send: ({ method, headers, ...request }) =>
      app.inject({ ...request, headers: spoken(headers), method: method as 'GET' }),
    isFailure: isFailureOf(name),
    isDeclared500: name !== 'platform',
    faults: () => lines.splice(0),
    forget: () => visits.of(world).clear(),
    async close() {
      worlds.close()
      await app.close()
    },
  }
}
