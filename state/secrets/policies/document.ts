import { DurationError, parseDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import {
  blocks,
  type DocumentBlock,
  findItem,
  type PlainMap,
  type PlainValue,
  plainMap,
  readDocument,
} from '../../hcl/document/document.ts'
import type { Document } from '../../hcl/document/value.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'
import { type Message, renderMessage } from '../../kernel/message.ts'
import { errorList } from '../common-messages.ts'
import { message } from './messages.ts'
import {
  type Capability,
  type CompiledPolicy,
  capabilityBits,
  compileRules,
  denied,
  type Stanza,
} from './rules.ts'
import { templateOf } from './templates.ts'

/** A policy document that does not parse. The message follows `failed to parse policy: `. */
export class PolicyError extends Error {
  readonly reason: Message

  constructor(reason: Message) {
    super(renderMessage(reason))
    this.name = 'PolicyError'
    this.reason = reason
  }
}

const documentKeys = ['name', 'path']

const stanzaKeys = [
  'comment',
  'policy',
  'capabilities',
  'allowed_parameters',
  'denied_parameters',
  'required_parameters',
  'min_wrapping_ttl',
  'max_wrapping_ttl',
]

/** The capabilities of each value of the obsolete `policy` attribute in a stanza. */
const legacyPolicies: ReadonlyMap<string, readonly Capability[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read', 'list']],
  ['write', ['create', 'read', 'update', 'delete', 'list']],
  ['sudo', ['create', 'read', 'update', 'delete', 'list', 'sudo']],
] as const)

/**
 * Parses a policy document, HCL or JSON (behaviour/secrets#policies).
 *
 * @param namespacePath prefix of the document's paths: `a/b/`, empty for the root namespace.
 * @throws PolicyError for an invalid document.
 */
export function parsePolicy(text: string, namespacePath = ''): Stanza[] {
  try {
    const document = readDocument(text)
    checkKeys(document, documentKeys)
    return blocks(document, 'path', 1).map((block) => readStanza(block, namespacePath))
  } catch (error) {
    if (error instanceof HclError)
      throw new PolicyError(message('policy-syntax', { why: error.message }))
    throw error
  }
}

/**
 * Compiles a policy for matching. A document that does not parse, which only imported state can
 * contain, grants nothing.
 */
export function compilePolicy(text: string, namespacePath: string): CompiledPolicy {
  try {
    return compileRules(parsePolicy(text, namespacePath))
  } catch (error) {
    if (error instanceof PolicyError) return compileRules([])
    throw error
  }
}

function checkKeys(document: Document, known: readonly string[], path?: string): void {
  const unknownItems = document.items.filter(({ key }) => !known.includes(key))
  if (unknownItems.length === 0) return
  const faults = unknownItems.map(({ key: name, position: { line } }) => {
    const key = quoteGo(name)
    return path === undefined
      ? message('policy-key-unknown', { key, line })
      : message('policy-stanza-key-unknown', { path, key, line })
  })
  throw new PolicyError(errorList(faults))
}

function readStanza({ labels, body }: DocumentBlock, namespacePath: string): Stanza {
  const key = labels[0] ?? 'path'
  const where = quoteGo(key)
  checkKeys(body, stanzaKeys, where)
  const fields = plainMap(body)
  const parameters = {
    allowed: readParameters(body, fields, 'allowed_parameters', where),
    denied: readParameters(body, fields, 'denied_parameters', where),
  }
  const path = namespacePath + key.replace(/^\//, '')
  if (path.includes('+*')) {
    throw new PolicyError(message('policy-wildcards', { path: quoteGo(path) }))
  }
  if (templateOf(path) === 'unbalanced')
    throw new PolicyError(message('policy-templates-unbalanced'))
  const bits = readCapabilities(fields, where)
  if (bits === capabilityBits.deny) return [path, denied]
  return [path, { bits, ...parameters, ...readWrappingLimits(fields, where) }]
}

/** Returns the union of a stanza's capabilities; `deny` clears all others. */
function readCapabilities(fields: PlainMap, where: string): number {
  const old = fields.get('policy')
  const names =
    typeof old === 'string' && old !== ''
      ? legacyPolicies.get(old)
      : textList(fields.get('capabilities'), where)
  if (names === undefined) {
    throw new PolicyError(
      message('policy-word-unknown', { path: where, word: quoteGo(String(old)) }),
    )
  }
  let bits = 0
  for (const name of names) {
    if (!isCapability(name)) {
      throw new PolicyError(
        message('policy-capability-unknown', { path: where, capability: quoteGo(name) }),
      )
    }
    if (name === 'deny') return capabilityBits.deny
    bits |= capabilityBits[name]
  }
  return bits
}

function isCapability(name: string): name is Capability {
  return Object.hasOwn(capabilityBits, name)
}

/** Reads the wrapping and parameter requirements of a stanza. */
function readWrappingLimits(fields: PlainMap, where: string) {
  const minWrappingTtl = readTtl(fields, 'min_wrapping_ttl')
  const maxWrappingTtl = readTtl(fields, 'max_wrapping_ttl')
  if (maxWrappingTtl !== 0 && maxWrappingTtl < minWrappingTtl) {
    throw new PolicyError(message('policy-wrapping-ttls'))
  }
  return {
    required: textList(fields.get('required_parameters'), where).map((name) => name.toLowerCase()),
    minWrappingTtl,
    maxWrappingTtl,
  }
}

function readTtl(fields: PlainMap, name: string): number {
  const value = fields.get(name)
  if (value === undefined) return 0
  try {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new DurationError('could not parse duration from input')
    }
    return parseDuration(value)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new PolicyError(message('policy-ttl-unreadable', { name, why: error.message }))
  }
}

function readParameters(body: Document, fields: PlainMap, name: string, path: string) {
  const value = fields.get(name)
  if (value === undefined) return new Map()
  if (!isMap(value)) {
    const { line = 1, column = 1 } = findItem(body, name)?.valuePosition ?? {}
    const kind = isList(value) ? 'ListType' : 'LiteralType'
    throw new PolicyError(message('policy-parameters-no-map', { path, line, column, name, kind }))
  }
  return new Map(
    Array.from(value, ([name, list]) => [name.toLowerCase(), toList(list).map(toJson)]),
  )
}

function textList(value: PlainValue | undefined, where: string): string[] {
  return toList(value ?? []).map((item) => {
    if (typeof item === 'string' || typeof item === 'number') return String(item)
    throw new PolicyError(message('policy-no-texts', { path: where }))
  })
}

/** Returns the value as a list, as HCL1 decodes a single value. */
function toList(value: PlainValue): readonly PlainValue[] {
  return isList(value) ? value : [value]
}

function isList(value: PlainValue): value is readonly PlainValue[] {
  return Array.isArray(value)
}

function isMap(value: PlainValue): value is PlainMap {
  return value instanceof Map
}

function toJson(value: PlainValue): Json {
  if (isList(value)) return value.map(toJson)
  if (!isMap(value)) return value
  const object: JsonObject = {}
  for (const [key, inner] of value) setMember(object, key, toJson(inner))
  return object
}
