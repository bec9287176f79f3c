import { decodeFirst } from '../json/decodings.ts'
import { parseJson } from '../json/json.ts'
import { isJsonObject, type Json, JsonNumber, setMember } from '../kernel/json.ts'
import type { InParts } from '../kernel/parts.ts'
import {
  type DecoderSettings,
  decodeValue as decode,
  decodeValueInParts,
} from '../kernel/shape/decode.ts'
import type { DialectName } from '../kernel/shape/dialect.ts'
import type { StructShape } from '../kernel/shape/kinds.ts'
import type { ParsedOf } from '../kernel/shape/values.ts'
import { refuse } from './messages.ts'

/**
 * Decodes a request body as the reference's decoder does: only the first JSON value is decoded, and
 * unknown members are ignored (behaviour/scheduler#bodies).
 *
 * @param dialect dialect of the member names in refusals (behaviour/scheduler#vendor-names)
 * @throws Refusal (400) for an empty body, and with the decoder's message for an invalid body
 */
export function decodeBody<const S extends StructShape>(
  body: string,
  shape: S,
  dialect: DialectName = 'neutral',
): ParsedOf<S> {
  return decode(parseBody(body), shape, goDecoderSettings, { dialect })
}

/** Decodes a request body as `decodeBody` does, with pauses. */
export function* decodeBodyInParts<const S extends StructShape>(
  body: string,
  shape: S,
  dialect: DialectName,
): InParts<ParsedOf<S>> {
  const value = parseBody(body)
  yield
  return yield* decodeValueInParts(value, shape, goDecoderSettings, { dialect })
}

function parseBody(body: string): Json {
  if (body === '') throw refuse('body-empty')
  return parseJson(body, decodeFirst) ?? {}
}

/**
 * Decodes a parsed value as `decodeBody` does.
 *
 * @param path names of the enclosing members, outermost first; refusals quote the path
 */
export function decodeValue<const S extends StructShape>(
  value: Json,
  shape: S,
  path: readonly string[] = [],
): ParsedOf<S> {
  return decode(value, shape, goDecoderSettings, { path })
}

export function emptyInput<const S extends StructShape>(shape: S): ParsedOf<S> {
  return decodeValue({}, shape)
}

/**
 * Names of the types that belong to the server's package `structs`. All other types belong to the
 * client library's package `api` (behaviour/scheduler#bodies).
 */
const serverTypes: ReadonlySet<string> = new Set([
  'Namespace',
  'NamespaceCapabilities',
  'NodePool',
  'ACLPolicy',
  'JobACL',
  'ACLRole',
  'ACLRolePolicyLink',
  'VariableDecrypted',
  'VariableItems',
  'ACLToken',
  'ACLTokenRoleLink',
  'ACLTokenBootstrapRequest',
  'JobEvaluateRequest',
  'EvalOptions',
  'JobDispatchRequest',
  'JobStabilityRequest',
  'JobRevertRequest',
  'SearchRequest',
  'FuzzySearchRequest',
  'Context',
  'NodeUpdateEligibilityRequest',
  'AllocSignalRequest',
  'EvalDeleteRequest',
  'OneTimeTokenExchangeRequest',
  'NodeMetaApplyRequest',
  'DeploymentPromoteRequest',
  'DeploymentPauseRequest',
  'DeploymentUnblockRequest',
  'DeploymentAllocHealthRequest',
  'CSIVolumeRegisterRequest',
  'CSIVolumeCreateRequest',
  'CSIVolume',
  'CSIVolumeCapability',
  'CSIVolumeAttachmentMode',
  'CSIVolumeAccessMode',
  'CSITopologyRequest',
  'CSITopology',
  'CSISecrets',
  'CSISnapshotCreateRequest',
  'CSISnapshot',
])

/**
 * Go source of the types that have no name in the reference, by the name of the shape. Error
 * messages quote the source.
 */
const unnamedTypes: ReadonlyMap<string, string> = new Map([
  ['ACLToken', 'struct { ExpirationTTL interface {}; Hash string; *structs.Alias }'],
  ['AllocRestartRequest', 'struct { TaskName string; AllTasks bool }'],
])

function packageOf(name: string): 'structs' | 'api' {
  return serverTypes.has(name) ? 'structs' : 'api'
}

/** Types that the reference stores in lists by value. Lists of other types contain pointers. */
const valueTypes: ReadonlySet<string> = new Set(['Port', 'ServiceCheck', 'NamespacedID'])

const goDecoderSettings: DecoderSettings = {
  locatedBy: 'innermost',
  structType: (name) => unnamedTypes.get(name) ?? `${packageOf(name)}.${name}`,
  holder: (name) => (unnamedTypes.has(name) ? '' : name),
  // The client library spells this member `URL`; jobs spell it `Url`.
  memberName: (name) => (name === 'Url' ? 'URL' : name),
  elementType: (name) => `${valueTypes.has(name) ? '' : '*'}${packageOf(name)}.${name}`,
  wrongType: ({ value, location: place, type }) => refuse('body-mistyped', { value, place, type }),
  decodeAny: (value) => plainJson(value),
  scalarDecoders: {
    time(value) {
      if (typeof value === 'string') return value
      throw refuse('body-time-no-text')
    },
    bytes: (value) => (typeof value === 'string' ? checkedBase64(value) : undefined),
  },
}

function checkedBase64(value: string): string {
  const text = value.replace(/[\r\n]/g, '')
  const invalidAt = text.search(/[^A-Za-z0-9+/=]/)
  if (invalidAt >= 0) throw refuse('body-no-base64', { at: invalidAt })
  const body = text.replace(/={0,2}$/, '')
  const padding = body.indexOf('=')
  if (padding >= 0) throw refuse('body-no-base64', { at: padding })
  if (text.length % 4 !== 0 || body.length % 4 === 1) {
    throw refuse('body-no-base64', { at: text.length - (text.length % 4) })
  }
  return text
}

/**
 * Maximum nesting depth of arbitrary JSON. The limit protects the recursive functions that process
 * rows.
 */
const maxDepth = 1000

/**
 * Converts JSON to values that rows can store. Numbers become doubles.
 *
 * @throws Refusal (400) beyond `maxDepth` levels
 */
function plainJson(value: Json, level = 1): Json {
  if (value instanceof JsonNumber) return Number(value.text)
  const isList = Array.isArray(value)
  if (!isList && !isJsonObject(value)) return value
  if (level > maxDepth) throw refuse('body-too-deep')
  if (isList) return value.map((each) => plainJson(each, level + 1))
  const copy: Record<string, Json> = {}
  for (const [key, each] of Object.entries(value)) setMember(copy, key, plainJson(each, level + 1))
  return copy
}
