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

/** A reply as the fuzzer looks at it. */
export interface FuzzReply {
  readonly statusCode: number
  readonly body: string
}

/** Something that is asked at random. */
export interface Target {
  readonly name: string
  readonly world: World
  readonly maker: RequestGenerator
  send(request: GeneratedRequest): Promise<FuzzReply>
  /** Tells whether the text of a failure has the API's form. */
  isFailure(body: string, request: GeneratedRequest): boolean
  /** Answers 500 to what its reference answers so, too. */
  readonly isDeclared500: boolean
  /** Lines about unexpected exceptions since the last call. */
  faults(): readonly string[]
  /** Forgets what requests have left behind beside the world. */
  forget(): void
  close(): Promise<void>
}

/** What is asked: the worlds here have the mounts of the neutral dialect. */
const operationsOf = (api: Api): readonly CoveredOperation[] =>
  api.name === 'secrets' ? secretsOperations() : (api.coverage?.().operations ?? [])

/** Operations whose answers go on for as long as somebody listens. */
const endless = new Set(['streamEvents'])

/** The header that carries a token in the vendor's words. */
const vendorHeaders: Readonly<Partial<Record<string, string>>> = {
  'x-secrets-token': 'x-vault-token',
  'x-mesh-token': 'x-consul-token',
  'x-sched-token': 'x-nomad-token',
}

/** Has an app check its replies, as far as its dialect's replies are described. */
function checkThose(app: FastifyInstance, name: ApiName, dialect: DialectName): void {
  if (name === 'secrets') checkReplies(app, undefined, secretsDialect(dialect).fieldName)
  else if (name === 'platform') checkReplies(app, failureSchema, undefined, dialect)
  // The vendor's scheduler leaves empty members out.
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

/** Failures of the secrets API and the platform have a list of errors, those of the others are text. */
function isFailureOf(name: ApiName): (body: string) => boolean {
  if (name === 'mesh' || name === 'scheduler') return () => true
  // The health of the secrets service has a status and a body of its own.
  const known = ['errors', 'data', 'initialized']
  return (body) => known.some((member) => member in (objectOf(body) ?? {}))
}

export const isProblem = (body: string): boolean => typeof objectOf(body)?.['status'] === 'number'

/** Bodies as an OpenAPI document describes them. */
export function bodiesOf(document: JsonSchema) {
  return memoizeByIdentity(
    ({ verb, path }: CoveredOperation): fc.Arbitrary<unknown> | undefined => {
      const schema = bodySchema(document, verb, path)
      return schema === undefined ? undefined : schemaArbitrary(schema, document)
    },
  )
}

/** One API on a port of its own, with a world in which there is something of everything. */
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
