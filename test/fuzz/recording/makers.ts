import { toUSVString } from 'node:util'
import type fc from 'fast-check'
import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import {
  type GeneratedRequest,
  RequestGenerator,
} from '../../support/generated/generated-requests.ts'
import type { Samples } from '../../support/generated/samples/sample.ts'
import { samples } from '../../support/generated/samples/samples.ts'
import { bodySchema, schemaArbitrary } from '../../support/generated/schema-values.ts'
import { controlSamples } from '../control-samples.ts'
import type { ListenerName, WireRequest } from './format.ts'
import { vendorHeaders, vendorSamples } from './vendor-samples.ts'

export type ApiName = Exclude<ListenerName, 'combined'>

export const apiNames: readonly ApiName[] = ['secrets', 'platform', 'mesh', 'scheduler']

/**
 * Operations to skip: they stream until the client leaves, wait in real time, or end the server.
 */
const skippedOperations =
  /^(streamEvents|monitorAgent|monitorNode|followEvents|followWorldEvents|waitFor(World)?Requests|shutdown)$/

/** Members of control requests that open ports or need real time. */
const realTime = /"(listen|ttl|hang|latency|slowBody)"/

/** Generator of the requests to one API or to the control plane. */
export interface Maker {
  readonly listener: ListenerName
  readonly operations: readonly CoveredOperation[]
  readonly maker: RequestGenerator
}

type Listed = readonly CoveredOperation[]

export function makerOf(
  name: ApiName | 'control',
  dialect: 'neutral' | 'vendor',
  listed: Listed,
  document: JsonSchema,
): Maker {
  const known: Samples = name === 'control' ? controlSamples : samples[name]
  const { tokenHeader } = known
  const spoken = dialect === 'vendor' ? { ...vendorSamples(known), tokenHeader } : known
  const operations = listed.filter(
    ({ id }) => !skippedOperations.test(id) && !/[eE]vents$/.test(id),
  )
  const described = new Map<string, fc.Arbitrary<unknown> | undefined>()
  const bodies = ({ verb, path }: CoveredOperation) => {
    const key = `${verb} ${path}`
    if (!described.has(key)) {
      const schema = bodySchema(document, verb, path.replace(/^\/_mock/, ''))
      described.set(key, schema === undefined ? undefined : schemaArbitrary(schema, document))
    }
    return described.get(key)
  }
  return {
    listener: name === 'control' ? 'combined' : name,
    operations,
    maker: new RequestGenerator(operations, spoken, bodies),
  }
}

/** Highest number of path segments; explaining a refused path with very many takes hours. */
const mostSegments = 60

/** Bodies nested so deeply that a stack overflow depends on whether the code is compiled yet. */
const tooDeep = /\[{1000}|(\{"a":){1000}/

/** Returns whether a request may be part of a recording. */
export function isRecordable({ method, url, payload = '' }: GeneratedRequest): boolean {
  if (url.split('/').length > mostSegments || tooDeep.test(payload)) return false
  if (!/^\/_mock(\/|$)/.test(url)) return true
  // The run uses its own snapshots, so no request may delete them.
  if (method === 'DELETE' && url.includes('/snapshots')) return false
  return !realTime.test(payload) && !/\/(events|wait|shutdown)\b/.test(url)
}

/** Media type that the vendor's platform requires for every request that changes data. */
const jsonApi = 'application/vnd.api+json'

/**
 * Returns a generated request in a form that a client can send: without control characters and lone
 * surrogates.
 */
export function wireRequest(
  listener: ListenerName,
  { method, url, headers, payload }: GeneratedRequest,
  dialect: 'neutral' | 'vendor',
): WireRequest {
  const sendable = toUSVString(url).replace(/[^\x21-\x7e]/gu, (character) =>
    encodeURIComponent(character),
  )
  const isTyped = dialect === 'vendor' && url.startsWith('/api/') && method !== 'GET'
  const all = isTyped ? { 'content-type': jsonApi, ...headers } : headers
  return {
    listener,
    method,
    url: sendable,
    headers: dialect === 'vendor' ? vendorHeaders(all) : all,
    ...(payload === undefined ? {} : { body: toUSVString(payload) }),
  }
}
