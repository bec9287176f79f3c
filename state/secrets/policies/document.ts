import { DurationError } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { findItem, isDocument, isJsonForm, readDocument } from '../../hcl/document/document.ts'
import type { Document, Value } from '../../hcl/document/value.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { type Message, renderMessage } from '../../kernel/message.ts'
import { errorList } from '../common-messages.ts'
import { controlGroupProblem, decodeControlGroup, parseTtl } from './control-group.ts'
import { DecodeError, kindOf, StanzaDecoder } from './decode.ts'
import { message } from './messages.ts'
import {
  type Capability,
  type CompiledPolicy,
  capabilityBits,
  compileRules,
  deniedPermissions,
  type ParameterRules,
  type Stanza,
} from './rules.ts'
import { templateOf } from './templates.ts'

/**
 * Error for an invalid policy document. The refusal of `writePolicy` adds the prefix `failed to
 * parse policy: `.
 */
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
  'mfa_methods',
  'control_group',
]

/** Capabilities by value of the obsolete attribute `policy`. */
const legacyPolicies: ReadonlyMap<string, readonly Capability[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read', 'list']],
  ['write', ['create', 'read', 'update', 'delete', 'list']],
  ['sudo', ['create', 'read', 'update', 'delete', 'list', 'sudo']],
] as const)

/**
 * Parses a policy document in HCL or JSON (behaviour/secrets#policies).
 *
 * @param namespacePath prefix of the document's paths: `a/b/`; empty for the root namespace
 * @throws PolicyError for an invalid document
 */
export function parsePolicy(text: string, namespacePath = ''): Stanza[] {
  try {
    const document = readDocument(text)
    checkKeys(document, documentKeys)
    const isJson = isJsonForm(text)
    const decoder = new StanzaDecoder(isJson)
    decoder.text(document, 'name', 'root.name')
    return pathBlocks(document, isJson).map((block) => readStanza(block, decoder, namespacePath))
  } catch (error) {
    if (error instanceof HclError)
      throw new PolicyError(message('policy-syntax', { why: error.message }))
    if (error instanceof DecodeError)
      throw new PolicyError(message('policy-name-wrong', { why: error.message }))
    throw error
  }
}

/**
 * Compiles a policy document for matching. An invalid document, which only imported state can
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
  const problems = unknownItems.map(({ key: name, position: { line } }) => {
    const key = quoteGo(name)
    return path === undefined
      ? message('policy-key-unknown', { key, line })
      : message('policy-stanza-key-unknown', { path, key, line })
  })
  throw new PolicyError(errorList(problems))
}

function readStanza(
  { key, body }: PathBlock,
  decoder: StanzaDecoder,
  namespacePath: string,
): Stanza {
  if (templateOf(key) === 'unbalanced') {
    throw new PolicyError(message('policy-templates-unbalanced'))
  }
  const where = quoteGo(key)
  if (!isDocument(body)) {
    throw new PolicyError(message('policy-stanza-no-object', { path: where, kind: kindOf(body) }))
  }
  checkKeys(body, stanzaKeys, where)
  const values = decodeStanza(body, decoder, where)
  const path = namespacePath + key.replace(/^\//, '')
  if (path.includes('+*')) {
    throw new PolicyError(message('policy-wildcards', { path: quoteGo(path) }))
  }
  const names = capabilityNames(values, where)
  const bits = capabilitiesOf(names, where)
  if (bits === capabilityBits.deny) return [path, deniedPermissions]
  const minWrappingTtl = readTtl(values.minWrappingTtl, 'min_wrapping_ttl')
  const maxWrappingTtl = readTtl(values.maxWrappingTtl, 'max_wrapping_ttl')
  const problem = values.controlGroup && controlGroupProblem(values.controlGroup, names)
  if (problem !== undefined) throw new PolicyError(problem)
  if (maxWrappingTtl !== 0 && maxWrappingTtl < minWrappingTtl) {
    throw new PolicyError(message('policy-wrapping-ttls'))
  }
  const { allowed, denied: deniedParameters, required } = values
  return [
    path,
    { bits, allowed, denied: deniedParameters, required, minWrappingTtl, maxWrappingTtl },
  ]
}

/**
 * Decodes the members of a stanza in a fixed order, which determines the error that is reported.
 * @throws PolicyError for the first value of a wrong type
 */
function decodeStanza(body: Document, decoder: StanzaDecoder, where: string) {
  try {
    const policy = decoder.text(body, 'policy', 'root.Policy')
    const capabilities = decoder.texts(body, 'capabilities', 'root.Capabilities')
    const allowed = decoder.parameters(body, 'allowed_parameters')
    const deniedParameters = decoder.parameters(body, 'denied_parameters')
    const required = decoder.texts(body, 'required_parameters', 'root.required_parameters')
    decoder.texts(body, 'mfa_methods', 'root.mfa_methods')
    return {
      policy,
      capabilities,
      minWrappingTtl: findItem(body, 'min_wrapping_ttl')?.value,
      maxWrappingTtl: findItem(body, 'max_wrapping_ttl')?.value,
      allowed: withLowerCaseNames(allowed),
      denied: withLowerCaseNames(deniedParameters),
      required: required.map((name) => name.toLowerCase()),
      controlGroup: decodeControlGroup(body, decoder),
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const why = error.message
    throw new PolicyError(message('policy-value-wrong', { path: where, why }))
  }
}

function withLowerCaseNames(parameters: ParameterRules | undefined): ParameterRules {
  return new Map(
    Array.from(parameters ?? [], ([name, values]) => [name.toLowerCase(), values] as const),
  )
}

/**
 * Returns the names of a stanza's capabilities, including those of the obsolete attribute `policy`.
 * If that attribute is `deny`, returns only `deny`.
 * @throws PolicyError for an unknown value of `policy`
 */
function capabilityNames(
  {
    policy = '',
    capabilities,
  }: { readonly policy?: string | undefined } & {
    readonly capabilities: readonly string[]
  },
  where: string,
): readonly string[] {
  if (policy === '') return capabilities
  const legacy = legacyPolicies.get(policy)
  if (legacy === undefined) {
    throw new PolicyError(message('policy-word-unknown', { path: where, word: quoteGo(policy) }))
  }
  return policy === 'deny' ? legacy : [...capabilities, ...legacy]
}

/**
 * Returns capabilities as bits. `deny` overrides all other capabilities.
 * @throws PolicyError for an unknown name, except after `deny`
 */
function capabilitiesOf(names: readonly string[], where: string): number {
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

function readTtl(value: Value | undefined, name: string): number {
  if (value === undefined) return 0
  try {
    return parseTtl(value)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new PolicyError(message('policy-ttl-unreadable', { name, why: error.message }))
  }
}

/** A `path` block. A block without a label has the key `path`. */
interface PathBlock {
  readonly key: string
  readonly body: Value
}

/** Returns the `path` blocks of a document. In JSON, nested objects are also blocks. */
function pathBlocks({ items }: Document, isJson: boolean): PathBlock[] {
  const found: PathBlock[] = []
  const collect = (value: Value, labels: readonly string[]): void => {
    if (isJson && Array.isArray(value) && value.length > 0 && value.every(isDocument)) {
      for (const element of value) collect(element, labels)
    } else if (isJson && isDocument(value) && isObjectOfObjects(value)) {
      for (const item of value.items) collect(item.value, [...labels, item.key])
    } else {
      found.push({ key: labels[0] ?? 'path', body: value })
    }
  }
  for (const { key, labels, value } of items) if (key === 'path') collect(value, labels)
  return found
}

function isObjectOfObjects({ items }: Document): boolean {
  return items.length > 0 && items.every(({ value }) => isDocument(value))
}
