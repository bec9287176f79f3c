import { describe, expect, onTestFinished, test } from 'vitest'
import { eventHubOf } from '../routes/events/hub.ts'
import { explain } from '../routes/explain/explanation.ts'
import type { CoveredOperation } from '../routes/http/declare/coverage.ts'
import { memoizeByIdentity } from '../routes/http/openapi/openapi-schema.ts'
import { entryOf } from '../routes/journal/entry.ts'
import { fingerprintOf } from '../routes/journal/fingerprint.ts'
import { Journals } from '../routes/journal/journal.ts'
import { reportOn } from '../routes/report/report.ts'
import { secretsOperations } from '../routes/secrets/coverage.ts'
import { type ApiName, apiNames } from '../src/api-names.ts'
import { buildApp } from '../src/server/app.ts'
import { services as allServices } from '../src/services.ts'
import { Worlds } from '../state/kernel/worlds/worlds.ts'
import { type GeneratedRequest, RequestGenerator } from './support/generated/generated-requests.ts'
import { samples } from './support/generated/samples/samples.ts'
import { bodySchema, schemaArbitrary } from './support/generated/schema-values.ts'
import { everyEngine, testTime } from './support/secrets/secrets.ts'

/** Names of members whose values are secret, in requests and replies of all APIs. */
const secretNames: readonly RegExp[] = [
  /^(token|otp|password|plaintext|service_account_jwt|(vault|consul|secrets|mesh)token)$/i,
  // An intention of the mesh has the member `JWT` for requirements, which are public.
  /^jwt$/,
  /^(secretid|bootstrapsecret|private-key|ssh-key|upload-url|log-read-url|upload)$/i,
  /([-_]token|[-_]password|-string|-secret|-secret-key|-credentials|^secret)$/,
]

/** Names of members that hold secrets in one API only. In other APIs, they hold ordinary names. */
const namesOf: Readonly<Partial<Record<ApiName, RegExp>>> = { secrets: /^(key|keys_base64)$/ }

/** Values of secret members that are public. */
const publicSecrets = new Set(['anonymous', '<hidden>'])

/**
 * Marks of the secrets that requests sent and replies returned: texts in members with secret names.
 */
class SecretMarker {
  readonly marks = new Set<string>()
  readonly #names: readonly RegExp[]

  constructor(api: ApiName) {
    this.#names = [...secretNames, ...[namesOf[api] ?? []].flat()]
  }

  /**
   * Returns a copy in which each secret text is replaced by a unique mark; undefined if there is no
   * secret.
   */
  markSecrets(body: unknown): unknown {
    const before = this.marks.size
    const copy = this.#markSecrets(body, false)
    return this.marks.size === before ? undefined : copy
  }

  /** Adds the secrets in a reply to the marks. */
  collectSecrets(value: unknown, within = false): void {
    if (typeof value === 'string' && within && value.length >= 8 && !publicSecrets.has(value)) {
      this.marks.add(value)
    }
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value))
      this.collectSecrets(member, this.#isSecret(name))
  }

  #isSecret(name: string): boolean {
    return this.#names.some((names) => names.test(name))
  }

  #markSecrets(value: unknown, within: boolean): unknown {
    if (typeof value === 'string' && within) {
      const mark = `geheim-${this.marks.size}-${value.length}`
      this.marks.add(mark)
      return mark
    }
    if (Array.isArray(value)) return value.map((item) => this.#markSecrets(item, within))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        this.#markSecrets(member, this.#isSecret(name)),
      ]),
    )
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

const dialects = ['neutral', 'vendor'] as const

/** Returns an API with its app, world and journals, and a generator of requests to the API. */
async function started(name: ApiName, dialect: (typeof dialects)[number]) {
  const service = allServices.find((each) => each.name === name)
  if (service === undefined) throw new Error(`there is no API ${name}`)
  const api = service.api(dialect).dedicated
  const worlds = new Worlds({
    services: allServices.map(({ state }) => state),
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    options: {
      control: { journalSize: 100_000 },
      mesh: { aclEnabled: true },
      scheduler: { aclEnabled: true },
    },
    document: everyEngine,
  })
  const visits = new Journals()
  const app = buildApp({ worlds, recorder: visits, apis: [api], log: false })
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const document = api.openApi?.('test') ?? {}
  const bodyArbitrary = memoizeByIdentity(({ verb, path }: CoveredOperation) => {
    const schema = bodySchema(document, verb, path)
    return schema === undefined ? undefined : schemaArbitrary(schema, document)
  })
  // The worlds here have the mounts of the neutral dialect.
  const all = name === 'secrets' ? secretsOperations() : (api.coverage?.().operations ?? [])
  const operations = all.filter(({ id }) => !endlessOperations.has(id))
  const generator = new RequestGenerator(operations, samples[name], bodyArbitrary)
  return { app, world: worlds.default, visits, operations, maker: generator }
}

/** Operations whose replies end only when the client disconnects. No secrets are sent to them. */
const endlessOperations = new Set(['streamEvents', 'monitorAgent', 'monitorNode'])

describe('behaviour/program#journal: the journal, the events and the report show no secret of any operation', () => {
  const all = apiNames.flatMap((name) => dialects.map((dialect) => [name, dialect] as const))
  test.each(all)('of the %s API, %s', async (name, dialect) => {
    const { app, world, visits, operations, maker: generator } = await started(name, dialect)
    const marker = new SecretMarker(name)
    const send = async ({ method, ...request }: GeneratedRequest) => {
      const reply = await app.inject({ ...request, method: method as 'GET' })
      marker.collectSecrets(parsed(reply.body))
      return reply
    }
    const sendMarked = async (request: GeneratedRequest) => {
      // The member `key` of these bodies is the name of a key.
      if (/\/oidc\/(?:role|client)\//.test(request.url)) return
      const body = marker.markSecrets(parsed(request.payload))
      if (body !== undefined) await send({ ...request, payload: JSON.stringify(body) })
    }
    // First the sample requests, as clients send them, so that objects with names exist.
    const sampleRequests = generator.samples()
    for (let next = sampleRequests.next(0); next.done !== true; ) {
      await sendMarked(next.value)
      const reply = await send(next.value)
      generator.remember(reply.body)
      next = sampleRequests.next(reply.statusCode)
    }
    // Then each operation as its document describes it, with members that the samples leave out.
    for (const [place] of operations.entries()) {
      for (const at of [1, 2, 3, 4, 5]) {
        const picks = [place, 0, 0, 0, 0, 0, 0, 0]
        await sendMarked(
          generator.request({ picks, corruption: 'none', at, name: '', value: null }),
        )
      }
    }
    const fingerprint = fingerprintOf(world.seed)
    const journal = visits.of(world)
    const entries = [...journal.records()].map((visit) => ({
      ...entryOf(visit, fingerprint),
      explanation: explain(visit, fingerprint),
    }))
    const events = [...eventHubOf(journal).since(0)].map(({ type, data }) => [type, data] as const)
    const { refused, unmatched, ...others } = reportOn(world, journal, [], () => [])
    const reported = [...refused, ...unmatched, others].map((part) => ['report', part] as const)
    const documents = [
      ...entries.map((entry) => [entry.operation, entry] as const),
      ...events,
      ...reported,
    ]
    const leaks = documents.flatMap(([name, part]) => {
      const text = JSON.stringify(part)
      return [...marker.marks]
        .filter((mark) => text.includes(mark))
        .map((mark) => `${name}: ${text.slice(Math.max(0, text.indexOf(mark) - 80))}`)
    })
    expect(events.length).toBeGreaterThan(entries.length)
    expect(leaks.map((leak) => leak.slice(0, 120))).toEqual([])
    expect(entries.filter((entry) => JSON.stringify(entry).includes('fp:'))).not.toEqual([])
    expect(marker.marks.size).toBeGreaterThan(5)
  })
})
